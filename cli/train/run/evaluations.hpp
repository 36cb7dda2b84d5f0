#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "troupe/sgd.hpp"

namespace troupe::cli {

/// Evaluates the test set and the validation set of a run. The results are kept, so that each set is evaluated only
/// once with the same weights.
class Evaluations {
 public:
  explicit Evaluations(DistributedSGD& sgd) : sgd_(sgd) {}

  /// Returns the evaluation of `set` with the current weights; none if the data has no such set. If the data has
  /// targets, the evaluation contains R2, unless there are too many targets.
  /// @throws Error as DistributedSGD::evaluate, with one exception. Error bad_data usually means that the set does not
  /// exist: then the result is none. But it is thrown if it contains a worker, or if an earlier evaluation has shown
  /// that the set exists.
  const std::optional<Evaluation>& of(EvaluationSet set);
  /// Forgets all kept results. The caller must call this after other weights were loaded, because only a step is
  /// noticed.
  void forget() {
    for (Measured& each : measured_) each = {.is_there = each.is_there};
  }

 private:
  /// The result of an evaluation after step `step`.
  struct Measured {
    std::int64_t step = -1;
    std::optional<Evaluation> evaluation = {};
    bool is_there = false;  ///< true: an earlier evaluation has shown that the set exists
  };

  Evaluation measure(EvaluationSet set);

  DistributedSGD& sgd_;
  std::array<Measured, 2> measured_;  ///< indexed by EvaluationSet
};

}  // namespace troupe::cli
