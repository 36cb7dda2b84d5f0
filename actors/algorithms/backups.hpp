#pragma once

#include <map>
#include <optional>
#include <vector>

#include "actors/algorithms/algorithm_runner.hpp"
#include "actors/messages/synchronous.hpp"
#include "collectives/state/slab_layout.hpp"

namespace troupe {

/// Replaces late workers in a step by their backups. The backup of a worker is the next worker in rank. The backup
/// computes the late worker's shards as well. If the backup finishes first, it also reduces and applies the late
/// worker's slice, and the late worker is left out of the step. The late worker continues to compute on a version that
/// stays pinned until the worker answers. Its result is not used. Then it takes part again. Gradients are bitwise
/// identical whichever worker computes them. See "backup workers" in Chen et al. 2016, where late gradients are
/// dropped, and backup tasks in Dean et al. 2012.
class Backups {
 public:
  /// Whether a step needs this class.
  bool in_use(const StepContext& context) const {
    return context.backups > 0 || !behind_.empty() || !left_out_.empty();
  }
  /// Has the gradients of all shards computed. Returns one reply per worker, in order. For a worker that is left out,
  /// returns its backup's reply, with the time that the worker has computed so far.
  /// @throws Error as `Rounds::ask`
  std::vector<From<Computed>> compute(const StepContext& context, const Compute& request, const Phase& phase);

  // Results of the last call of `compute`, in order of rank.
  /// Workers that are left out of the step.
  const std::vector<int>& left_out() const { return left_out_; }
  /// The first lane of each worker that is left out.
  std::vector<std::int32_t> left_out_lanes(const Members& members) const;
  std::vector<Range> left_out_shards(const Members& members) const;
  /// Workers that reduce and apply, in order: the context's appliers, with each worker that is left out replaced by its
  /// backup.
  std::vector<int> appliers(const StepContext& context) const;
  /// The slices that this worker reduces and applies: its own, and the slice of the worker that it replaces.
  std::vector<Range> slices_of(const StepContext& context, int worker) const;

 private:
  class Gathering;
  struct Behind {
    Stopwatch since;
    Deadline deadline{std::chrono::milliseconds(0)};
    Versions::PinId pin = 0;  ///< of the version that it computes on
  };

  void catch_up(const StepContext& context, const Phase& phase);

  std::map<int, Behind> behind_;  ///< workers that compute for an earlier step
  std::vector<int> left_out_;
};

}  // namespace troupe
