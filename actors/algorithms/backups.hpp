#pragma once

#include <map>
#include <optional>
#include <vector>

#include "actors/algorithms/algorithm_runner.hpp"
#include "actors/messages/synchronous.hpp"
#include "collectives/state/slab_layout.hpp"

namespace troupe {

/// Replaces stragglers in a synchronous step by their backups. The backup of a worker is the worker with the next
/// higher rank; the backup of the last rank is the first rank. The backup computes its own shards, and then the
/// straggler's shards.
///
/// If the backup finishes before the straggler, the straggler is left out of the step: the backup also reduces and
/// applies the straggler's slice. The straggler continues to compute, and the version that the straggler reads stays
/// pinned until its reply arrives. The result in this reply is not used. After the reply, the straggler takes part in
/// steps again.
///
/// The new weights are the same with and without backups, because a shard's gradient is bitwise identical whichever
/// worker computes it. Related work: "backup workers" (Chen et al. 2016), where late gradients are dropped, and "backup
/// tasks" (Dean et al. 2012).
class Backups {
 public:
  /// Returns whether a step must use this class: backups are enabled, or a straggler was left out of an earlier step.
  bool in_use(const StepContext& context) const {
    return context.backups > 0 || !behind_.empty() || !left_out_.empty();
  }
  /// Requests the workers to compute the gradients of all shards, and waits for the results. Returns one reply for each
  /// worker, in order of rank. If a straggler is left out, its element is the reply of its backup, except for the time.
  /// The time is the number of seconds for which the straggler has computed so far.
  /// @throws Error as `Rounds::ask`
  std::vector<From<Computed>> compute(const StepContext& context, const Compute& request, const Phase& phase);

  // The following functions describe the result of the last call of `compute`. They return workers in order of rank.
  /// Returns the workers that are left out of the step.
  const std::vector<int>& left_out() const { return left_out_; }
  /// Returns the first lane of each worker that is left out of the step.
  std::vector<std::int32_t> left_out_lanes(const Members& members) const;
  /// Returns the shards of each worker that is left out of the step.
  std::vector<Range> left_out_shards(const Members& members) const;
  /// Returns the workers that reduce gradients and apply updates, in order: the workers in `context.appliers`, where
  /// each worker that is left out is replaced by its backup.
  std::vector<int> appliers(const StepContext& context) const;
  /// Returns the slices that `worker` reduces and applies: its own slice, and then the slice of the worker that it
  /// replaces, if it replaces one.
  std::vector<Range> slices_of(const StepContext& context, int worker) const;

 private:
  class Gathering;
  /// A straggler that was left out of an earlier step and still computes.
  struct Behind {
    Stopwatch since;
    Deadline deadline{std::chrono::milliseconds(0)};
    Versions::PinId pin = 0;  ///< pins the version that the straggler reads
  };

  /// For each straggler of an earlier step that has answered: unpins the version that it read, so that the straggler
  /// takes part in steps again.
  /// @throws Error worker_lost if a straggler has missed its deadline
  void catch_up(const StepContext& context, const Phase& phase);

  std::map<int, Behind> behind_;  ///< stragglers of earlier steps, by worker
  std::vector<int> left_out_;
};

}  // namespace troupe
