#include <algorithm>

#include "actors/driver/driver.hpp"
#include "actors/messages/settle.hpp"
#include "runtime/invalid.hpp"
#include "runtime/log.hpp"
#include "runtime/processes/cores.hpp"

// How workers come and go while a run goes on.
namespace troupe {
namespace {

constexpr int kMostReplicas = 4096;

}  // namespace

int Driver::num_workers() const { return runtime_ ? runtime_->members.num_workers() : options_.num_workers.max; }

void Driver::resize(int num_workers) {
  if (options_.placement == Placement::cluster)
    throw Error(ErrorCode::unsupported, "the workers of a cluster do not change in number");
  if (num_workers < 1 || num_workers > options_.num_shards / options_.compute.devices_per_worker)
    throw_invalid(std::to_string(num_workers) + " workers of " + std::to_string(options_.compute.devices_per_worker) +
                  " devices; a run with " + std::to_string(options_.num_shards) + " shards has 1 to " +
                  std::to_string(options_.num_shards / options_.compute.devices_per_worker));
  if (std::int64_t{num_workers} * options_.compute.devices_per_worker > kMostReplicas)
    throw_invalid("more than the " + std::to_string(kMostReplicas) + " replicas that one run can have");
  if (algorithm_->under_way()) make_ready(Needs::members);
  const std::vector<int> before = runtime_->members.workers();
  deal_to(num_workers);
  newcomers_ = all_but(before);
  try {
    repairing(Needs::members, [] {});
    newcomers_.clear();
  } catch (...) {
    for (const int worker : std::exchange(newcomers_, {})) drop(worker);
    deal_to(static_cast<int>(before.size()));
    throw;
  }
}

void Driver::deal_to(int num_workers) {
  Members& members = runtime_->members;
  while (members.num_workers() > num_workers) drop(members.workers().back());
  while (members.num_workers() < num_workers) members.add();
}

void Driver::drop(int worker) {
  coming_.erase(worker);
  const auto time = runtime_->host->time_at_end();
  if (time && !runtime_->members.lost(worker)) stop(worker, *time);
  runtime_->host->end(worker);
  runtime_->mailbox.unseat(worker);
  rounds_->forgive(worker);
  runtime_->members.drop(worker);
}

/// A replica of this process may still compute for a round that has failed. One that hangs is lost, and given up.
void Driver::stop(int worker, std::chrono::milliseconds time) {
  const bool settled = rounds_->settled();
  try {
    rounds_->ask(Stop{}, {worker}, Phase{"stop", steps_done() + 1, Deadline(time)});
  } catch (const Error&) {
    runtime_->members.lose(worker);
  }
  if (!settled) rounds_->unsettle();
}

std::vector<int> Driver::all_but(const std::vector<int>& some) const {
  std::vector<int> others = runtime_->members.workers();
  std::erase_if(others, [&](int worker) { return std::ranges::count(some, worker) > 0; });
  return others;
}

void Driver::drop_lost(int blamed) {
  try {
    if (algorithm_->under_way()) rest();  // what is on its way is of shards as they are dealt now
  } catch (const Error&) {
    // Who else is lost is dropped below, or found by the next round.
  }
  Members& members = runtime_->members;
  std::vector<int> lost = members.lost_workers();
  std::stable_partition(lost.begin(), lost.end(), [&](int worker) { return worker == blamed; });
  for (const int worker : lost)
    if ((worker == blamed || !members.never_came(worker)) && members.num_workers() > elasticity_.least()) drop(worker);
}

void Driver::follow_cores() {
  if (!elasticity_.is_due(Clock::now())) return;
  const auto wanted = elasticity_.follow(usable_cores());
  if (!wanted || *wanted == num_workers()) return;
  try {
    resize(*wanted);
  } catch (const Error& error) {
    // The run has what it had, and nobody asked for more.
    log_line(LogLevel::warning, "the run stays with " + std::to_string(num_workers()) + " workers: " + error.what(),
             error.where());
  }
}

}  // namespace troupe
