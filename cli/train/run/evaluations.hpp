#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "troupe/sgd.hpp"

namespace troupe::cli {

/// Evaluations of a run. Each is made once for the same weights.
class Evaluations {
 public:
  explicit Evaluations(DistributedSGD& sgd) : sgd_(sgd) {}

  /// Returns an evaluation, with R2 if there are targets, unless there are too many. Returns none if the data has no
  /// such set.
  /// @throws Error bad_data that names a worker; any error once an evaluation has found the set
  const std::optional<Evaluation>& of(EvaluationSet set);
  /// Must be called when the weights were replaced.
  void forget() {
    for (Measured& each : measured_) each = {.is_there = each.is_there};
  }

 private:
  /// The result of an evaluation after step `step`.
  struct Measured {
    std::int64_t step = -1;
    std::optional<Evaluation> evaluation = {};
    bool is_there = false;  ///< an evaluation has shown that the set exists
  };

  Evaluation measure(EvaluationSet set);

  DistributedSGD& sgd_;
  std::array<Measured, 2> measured_;  ///< by EvaluationSet
};

}  // namespace troupe::cli
