#pragma once

#include <map>
#include <optional>
#include <vector>

#include "actors/algorithms/algorithm_runner.hpp"
#include "actors/messages/synchronous.hpp"
#include "collectives/state/slab_layout.hpp"

namespace troupe {

/// Workers that are late, and who does their part: the worker behind each in rank computes its shards as well, and
/// where these are there first, it also reduces and applies its slice; the late one is left out of the step. It goes on
/// computing, on a version that is pinned until it answers, which nobody reads any more, and then takes part again. A
/// gradient has the same bits whoever computes it. See "backup workers" in Chen et al. 2016, where late gradients are
/// dropped, and backup tasks in Dean et al. 2012.
class Backups {
 public:
  /// Whether a step has anything to do with them.
  bool in_use(const StepContext& context) const {
    return context.backups > 0 || !behind_.empty() || !left_out_.empty();
  }
  /// Has the gradients of all shards computed. One reply for each worker, in order; of one that is left out its
  /// backup's, with the seconds for which it has computed so far.
  /// @throws Error as rounds do
  std::vector<From<Computed>> compute(const StepContext& context, const Compute& request, const Phase& phase);

  // Of the last round of these, in order of rank.
  /// Those that take part in the step.
  const std::vector<int>& left_out() const { return left_out_; }
  /// The first lane of each that does not.
  std::vector<std::int32_t> left_out_lanes(const Members& members) const;
  std::vector<Range> left_out_shards(const Members& members) const;
  /// Workers that reduce and apply, in order: those who always do, without those that are left out, and who stands in
  /// for these.
  std::vector<int> appliers(const StepContext& context) const;
  /// What such a worker has to reduce and apply, by its own and what it stands in for.
  std::vector<Range> slices_of(const StepContext& context, int worker) const;

 private:
  class Gathering;
  struct Behind {
    Stopwatch since;
    Deadline deadline{std::chrono::milliseconds(0)};
    Versions::PinId pin = 0;  ///< of what it computes on
  };

  void catch_up(const StepContext& context, const Phase& phase);

  std::map<int, Behind> behind_;  ///< who computes for an earlier step
  std::vector<int> left_out_;
};

}  // namespace troupe
