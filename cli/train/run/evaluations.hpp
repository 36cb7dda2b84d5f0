#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "troupe/sgd.hpp"

namespace troupe::cli {

/// Evaluates the sets of a run. Each set is evaluated only once for the same weights; the result is kept.
class Evaluations {
 public:
  explicit Evaluations(DistributedSGD& sgd) : sgd_(sgd) {}

  /// Returns the evaluation of a set with the current weights. It contains R2 if the data has targets, unless there are
  /// too many targets. Returns none if the data has no such set.
  /// @throws Error as DistributedSGD::evaluate. The error bad_data means that the set does not exist, and is not
  /// thrown, unless it names a worker or an earlier evaluation of the set succeeded.
  const std::optional<Evaluation>& of(EvaluationSet set);
  /// Forgets the results. Call this after the weights were replaced other than by a step.
  void forget() {
    for (Measured& each : measured_) each = {.is_there = each.is_there};
  }

 private:
  /// The result of an evaluation after step `step`.
  struct Measured {
    std::int64_t step = -1;
    std::optional<Evaluation> evaluation = {};
    bool is_there = false;  ///< whether an earlier evaluation has shown that the set exists
  };

  Evaluation measure(EvaluationSet set);

  DistributedSGD& sgd_;
  std::array<Measured, 2> measured_;  ///< indexed by EvaluationSet
};

}  // namespace troupe::cli
