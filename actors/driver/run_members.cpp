#include "actors/driver/run_members.hpp"

#include <string>

#include "actors/driver/option_checks.hpp"
#include "runtime/invalid.hpp"
#include "runtime/log.hpp"
#include "runtime/processes/cores.hpp"

namespace troupe {

RunMembers::RunMembers(Run& run, NodeRecovery& nodes)
    : run_(run),
      nodes_(nodes),
      elasticity_(run.options, run.rules().on_one_machine() ? usable_cores() : run.options.num_workers.max),
      losses_(run.options.fault_tolerance.max_failures, run.rules(), elasticity_) {}

void RunMembers::make_ready(Needs needs, const std::function<void()>& work) {
  std::vector<Stopwatch> losses;
  for (bool settling = false;; settling = false) {
    for (int noted = note_untold(/*replaced=*/false); noted > 0; --noted) losses.emplace_back();
    try {
      // Report a failure of the algorithm before lost workers are replaced, because `note_loss` must first decide
      // whether they are replaced.
      run_.algorithm->tell_failure();
      if (run_.lost_at) form_again();
      settling = true;
      run_.settle(needs);
      settling = false;
      for (auto repair = losses_.repairs().end(); !losses.empty(); losses.pop_back())
        (--repair)->seconds = losses.back().seconds();
      return work();
    } catch (const Error& error) {
      losses.emplace_back();
      // If a worker does not start in time, treat its node as lost.
      const bool loss = settling && nodes_.can_form_again() && run_.may_come_of_lost_node(error);
      note_loss(loss ? Error(ErrorCode::worker_lost, error.message(), error.where()) : error);
    }
  }
}

void RunMembers::form_again() {
  const std::int64_t repeated = nodes_.form_again();
  if (!losses_.repairs().empty()) losses_.repairs().back().replayed = repeated;
}

std::vector<Repair> RunMembers::end_step(bool rehearse) {
  note_untold(/*replaced=*/true);
  losses_.note_progress();
  return rehearse ? std::vector<Repair>() : losses_.take_repairs();
}

void RunMembers::note_loss(const Error& error) {
  const bool replaces = run_.rules().replaces_workers();
  const bool loss = error.code() == ErrorCode::worker_lost || run_.node_lost();
  if (!loss || (!replaces && !nodes_.can_form_again())) give_up(error);
  if (!replaces) nodes_.expect_survivors(error);
  const Members* const members = run_.formed ? &run_.formed->members() : nullptr;
  try {
    losses_.take(error, members, [this](int blamed) { drop_lost(blamed); });
  } catch (const Error& final) {
    give_up(final);
  }
}

void RunMembers::give_up(const Error& error) {
  if (run_.formed) run_.formed->rounds().forget_untold();
  throw Error(error);
}

int RunMembers::note_untold(bool replaced) {
  if (!run_.formed) return 0;
  return losses_.note_untold(run_.formed->rounds(), run_.formed->members(), replaced,
                             [this](int blamed) { drop_lost(blamed); });
}

void RunMembers::drop_lost(int blamed) {
  try {
    if (run_.algorithm->under_way()) run_.rest();  // pushes in progress belong to the present assignment of shards
  } catch (const Error&) {
    // If `rest` failed because other workers are lost, they are dropped below, or the next round detects them.
  }
  run_.formed->workers().drop_lost(blamed, elasticity_.least(), run_.steps_done() + 1);
}

void RunMembers::resize(int num_workers) {
  if (!run_.rules().replaces_workers())
    throw Error(ErrorCode::unsupported, "the number of workers of a cluster cannot change");
  const int devices = run_.options.compute.devices_per_worker;
  const int shards = run_.options.num_shards;
  if (num_workers < 1 || num_workers > shards / devices)
    throw_invalid(std::to_string(num_workers) + " workers of " + std::to_string(devices) + " devices; a run with " +
                  std::to_string(shards) + " shards can have 1 to " + std::to_string(shards / devices));
  if (std::int64_t{num_workers} * devices > kMostReplicas)
    throw_invalid("more than the " + std::to_string(kMostReplicas) + " replicas that one run can have");
  if (run_.algorithm->under_way()) make_ready(Needs::members);
  const std::vector<int> before = run_.formed->members().workers();
  RunWorkers& workers = run_.formed->workers();
  workers.deal_to(num_workers, run_.steps_done() + 1);
  losses_.expect(workers.all_but(before));
  try {
    make_ready(Needs::members);
    losses_.expect({});
  } catch (...) {
    for (const int worker : losses_.take_newcomers()) workers.drop(worker, run_.steps_done() + 1);
    workers.deal_to(static_cast<int>(before.size()), run_.steps_done() + 1);
    throw;
  }
}

void RunMembers::follow_cores() {
  if (!elasticity_.is_due(Clock::now())) return;
  const auto wanted = elasticity_.follow(usable_cores());
  if (!wanted || *wanted == run_.num_workers()) return;
  try {
    resize(*wanted);
  } catch (const Error& error) {
    // The run keeps its present workers. The failure is not an error, because the user did not request this change.
    log_line(LogLevel::warning,
             "the run continues with " + std::to_string(run_.num_workers()) + " workers: " + error.what(),
             error.where());
  }
}

}  // namespace troupe
