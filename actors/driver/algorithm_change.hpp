#pragma once

#include <memory>

#include "actors/driver/copies/copies.hpp"
#include "actors/driver/run.hpp"

namespace troupe {

/// A change of a run's algorithm that can be undone.
class AlgorithmChange {
 public:
  /// Makes `next` the algorithm of the run. Members must be at rest. If parameter servers are added or removed, or if
  /// the shape of the state changes, the next `Run::settle_members` begins a new generation. If the shape changes, only
  /// the weights are kept.
  AlgorithmChange(Run& run, std::unique_ptr<AlgorithmRunner> next);
  /// Makes the previous algorithm the run's algorithm again, because the other one could not begin. Returns the other
  /// one. Must be called at most once.
  std::unique_ptr<AlgorithmRunner> undo();

 private:
  Run& run_;
  StateShape shape_;  ///< the shape of the state with the previous algorithm
  Version version_;   ///< the committed version with the previous algorithm
  std::unique_ptr<AlgorithmRunner> before_;
};

/// Makes `next` the algorithm that follows the warm start of the run.
void await_warm_start(Run& run, std::unique_ptr<AlgorithmRunner> next);

/// If the warm start is over, makes the algorithm that follows it the run's algorithm. Then the newest copy of the
/// state is given up, because the steps of the warm start must not be repeated later.
void end_warm_start(Run& run, Copies& copies);

}  // namespace troupe
