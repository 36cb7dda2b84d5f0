#pragma once

#include <optional>

#include "runtime/clock.hpp"
#include "troupe/sgd.hpp"

namespace troupe {

/// Decides how many workers a run should have. Starts no workers.
class Elasticity {
 public:
  /// @param options the run's options, already checked
  /// @param cores the number of usable cores; used only if the number of workers is a range
  Elasticity(const Options& options, int cores);

  /// Returns the number of workers with which the run starts.
  int initial() const { return workers_for(cores_); }
  /// Returns the smallest number of workers with which the run continues after workers are lost.
  int least() const { return workers_.is_range() ? workers_.min : 1; }
  /// Returns whether the run continues without a lost worker, instead of replacing it.
  /// @param allowed whether the failure budget allows this loss
  bool drops_lost(bool allowed) const;
  /// Returns whether the caller should count the usable cores now. If the number of workers is a range, returns true
  /// once per second; otherwise never.
  bool is_due(Clock::time_point now);
  /// Records that there are `cores` usable cores. Returns the number of workers that the run should now have, or none
  /// if the number of cores is unchanged.
  std::optional<int> follow(int cores);

 private:
  int workers_for(int cores) const;

  WorkerCount workers_;
  Restart restart_;
  int cores_;
  Clock::time_point next_look_{};
};

}  // namespace troupe
