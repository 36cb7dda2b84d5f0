#pragma once

#include <optional>

#include "runtime/clock.hpp"
#include "troupe/sgd.hpp"

namespace troupe {

/// Decides how many workers a run should have. Starts no workers.
class Elasticity {
 public:
  /// @param options checked options. @param cores usable cores; they matter only if the number of workers is a range
  Elasticity(const Options& options, int cores);

  /// The initial number of workers.
  int initial() const { return workers_for(cores_); }
  /// The smallest number of workers after losses.
  int least() const { return workers_.is_range() ? workers_.min : 1; }
  /// Whether the run continues without a lost worker. @param allowed whether the budget of losses allows this loss
  bool drops_lost(bool allowed) const;
  /// Whether to count the cores now: once per second, if the number of workers is a range.
  bool is_due(Clock::time_point now);
  /// The new number of workers, or none if the number of cores is unchanged.
  std::optional<int> follow(int cores);

 private:
  int workers_for(int cores) const;

  WorkerCount workers_;
  Restart restart_;
  int cores_;
  Clock::time_point next_look_{};
};

}  // namespace troupe
