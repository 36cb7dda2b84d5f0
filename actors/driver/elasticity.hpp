#pragma once

#include <optional>

#include "runtime/clock.hpp"
#include "troupe/sgd.hpp"

namespace troupe {

/// How many workers a run wants. Plain book-keeping.
class Elasticity {
 public:
  /// Of checked options. @param cores that can be used now; they count where the workers are a range
  Elasticity(const Options& options, int cores);

  /// To begin with.
  int initial() const { return workers_for(cores_); }
  /// Fewest that losses leave.
  int least() const { return workers_.is_range() ? workers_.min : 1; }
  /// Whether a worker that was lost is done without. @param allowed whether the budget of losses is not spent
  bool drops_lost(bool allowed) const;
  /// Whether it is time to look how many cores there are: each second, where workers are to follow them.
  bool is_due(Clock::time_point now);
  /// As many workers as should be; none where the cores are as they were.
  std::optional<int> follow(int cores);

 private:
  int workers_for(int cores) const;

  WorkerCount workers_;
  Restart restart_;
  int cores_;
  Clock::time_point next_look_{};
};

}  // namespace troupe
