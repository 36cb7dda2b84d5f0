#include <algorithm>
#include <iostream>

#include "actors/driver/driver.hpp"
#include "runtime/invalid.hpp"
#include "runtime/processes/cores.hpp"

// How workers come and go while a run goes on.
namespace troupe {

int Driver::num_workers() const { return runtime_ ? runtime_->members.num_workers() : options_.num_workers.max; }

void Driver::resize(int num_workers) {
  if (options_.placement == Placement::cluster)
    throw Error(ErrorCode::unsupported, "the workers of a cluster do not change in number");
  if (num_workers < 1 || num_workers > options_.num_shards / options_.devices_per_worker)
    throw_invalid(std::to_string(num_workers) + " workers of " + std::to_string(options_.devices_per_worker) +
                  " devices; a run with " + std::to_string(options_.num_shards) + " shards has 1 to " +
                  std::to_string(options_.num_shards / options_.devices_per_worker));
  const std::vector<int> before = runtime_->members.workers();
  deal_to(num_workers);
  try {
    repairing(Needs::members, [] {});
  } catch (...) {
    drop_all_but(before);
    throw;
  }
}

void Driver::deal_to(int num_workers) {
  Members& members = runtime_->members;
  while (members.num_workers() > num_workers) drop(members.workers().back());
  while (members.num_workers() < num_workers) members.add();
}

void Driver::drop(int worker) {
  runtime_->host->end(worker);
  runtime_->mailbox.unseat(worker);
  runtime_->members.drop(worker);
}

void Driver::drop_all_but(const std::vector<int>& kept) {
  for (const int worker : runtime_->members.workers())
    if (std::find(kept.begin(), kept.end(), worker) == kept.end() && num_workers() > 1) drop(worker);
}

bool Driver::drop_lost(int blamed) {
  Members& members = runtime_->members;
  const int before = members.num_workers();
  for (const int worker : members.lost_workers())
    if ((worker == blamed || !members.never_came(worker)) && members.num_workers() > elasticity_.least()) drop(worker);
  return members.num_workers() < before;
}

void Driver::follow_cores() {
  if (!elasticity_.is_due(Clock::now())) return;
  const auto wanted = elasticity_.follow(usable_cores());
  if (!wanted || *wanted == num_workers()) return;
  try {
    resize(*wanted);
  } catch (const Error& error) {
    // The run has what it had, and nobody asked for more.
    std::cerr << "troupe: the run stays with " + std::to_string(num_workers()) + " workers: " + error.what() + '\n';
  }
}

}  // namespace troupe
