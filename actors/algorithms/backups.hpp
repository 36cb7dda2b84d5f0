#pragma once

#include <map>
#include <optional>
#include <vector>

#include "actors/algorithms/algorithm_runner.hpp"
#include "actors/messages/synchronous.hpp"
#include "collectives/state/slab_layout.hpp"

namespace troupe {

/// Replaces stragglers in a step by their backups. The backup of a worker is the worker with the next rank, and for the
/// last rank the first one. The backup computes its own shards, and then the straggler's shards as well.
///
/// If the backup finishes before the straggler, the straggler is left out of the step: the backup also reduces and
/// applies the straggler's slice. The straggler continues to compute. The version that it reads stays pinned until it
/// answers. Its result is not used, and then it takes part in steps again.
///
/// The new weights are the same with and without backups, because gradients are bitwise identical whichever worker
/// computes them. See "backup workers" in Chen et al. 2016, where late gradients are dropped, and "backup tasks" in
/// Dean et al. 2012.
class Backups {
 public:
  /// Returns whether a step needs this class.
  bool in_use(const StepContext& context) const {
    return context.backups > 0 || !behind_.empty() || !left_out_.empty();
  }
  /// Has the workers compute the gradients of all shards. Returns one reply for each worker, in order of rank. For a
  /// straggler that is left out, returns the reply of its backup. However, the time in this reply is the time for which
  /// the straggler has computed so far.
  /// @throws Error as `Rounds::ask`
  std::vector<From<Computed>> compute(const StepContext& context, const Compute& request, const Phase& phase);

  // The results of the last call of `compute`. Workers are in order of rank.
  /// Returns the workers that are left out of the step.
  const std::vector<int>& left_out() const { return left_out_; }
  /// Returns the first lane of each worker that is left out.
  std::vector<std::int32_t> left_out_lanes(const Members& members) const;
  /// Returns the shards of each worker that is left out.
  std::vector<Range> left_out_shards(const Members& members) const;
  /// Returns the workers that reduce and apply, in order. These are the context's appliers, but each worker that is
  /// left out is replaced by its backup.
  std::vector<int> appliers(const StepContext& context) const;
  /// Returns the slices that this worker reduces and applies: its own slice, and the slice of the worker that it
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

  /// Unpins the versions of stragglers that have answered, so that they take part again.
  /// @throws Error worker_lost for a straggler that has missed its deadline
  void catch_up(const StepContext& context, const Phase& phase);

  std::map<int, Behind> behind_;  ///< by worker
  std::vector<int> left_out_;
};

}  // namespace troupe
