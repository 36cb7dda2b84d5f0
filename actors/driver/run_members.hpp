#pragma once

#include <functional>
#include <vector>

#include "actors/driver/elasticity.hpp"
#include "actors/driver/faults/losses.hpp"
#include "actors/driver/node_recovery.hpp"
#include "actors/driver/run.hpp"

namespace troupe {

/// Makes the members of a run ready for each call, and changes their number. If a worker or node is lost during a call,
/// makes the call again, as often as the failure budget allows.
class RunMembers {
 public:
  RunMembers(Run& run, NodeRecovery& nodes);

  /// Returns the number of workers with which the run starts.
  int initial_workers() const { return elasticity_.initial(); }
  /// Settles the members and calls `work`. If a worker or node is lost meanwhile, repeats both, as often as the failure
  /// budget allows. If the run has lost a node, forms the run again first. `work` must not change the state before it
  /// succeeds.
  void make_ready(
      Needs needs, const std::function<void()>& work = [] {});
  /// Records that a step was made. Returns the repairs since the last committed step; none if the step was a rehearsal.
  std::vector<Repair> end_step(bool rehearse);

  /// Changes the number of workers of a run on one machine.
  /// @throws Error unsupported in a cluster; invalid_argument if the number is not possible; or the error with which a
  /// new worker could not start, after the previous number was restored
  void resize(int num_workers);
  /// If the option `num_workers` is a range and the number of usable cores has changed, changes the number of workers
  /// accordingly.
  void follow_cores();

 private:
  /// Forms the run again, and records the number of repeated steps in the last repair.
  void form_again();
  /// See Losses::note_untold.
  int note_untold(bool replaced);
  /// Records the loss that `error` reports, so that the call can be repeated, and waits for the pause that the failure
  /// budget requires.
  /// @throws Error `error` itself if it does not report a loss from which the run can recover; or the error that the
  /// failure budget is spent
  void note_loss(const Error& error);
  /// Ends the call: throws `error`, and discards all losses that were not reported yet.
  [[noreturn]] void give_up(const Error& error);
  /// Removes the worker `blamed` from the run, and every other worker that was lost after it had joined. However, keeps
  /// at least the minimum number of workers.
  void drop_lost(int blamed);

  Run& run_;
  NodeRecovery& nodes_;
  Elasticity elasticity_;
  Losses losses_;
};

}  // namespace troupe
