#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "troupe/sgd.hpp"

namespace troupe::cli {

/// Evaluations of a run, each made once for the same weights.
class Evaluations {
 public:
  explicit Evaluations(DistributedSGD& sgd) : sgd_(sgd) {}

  /// With R2 where there are targets, unless these are too many. None where the data has no such set.
  /// @throws Error bad_data that names a worker, and any other once an evaluation has found the set
  const std::optional<Evaluation>& of(EvaluationSet set);
  /// The weights are others now.
  void forget() {
    for (Measured& each : measured_) each = {.is_there = each.is_there};
  }

 private:
  /// What an evaluation found after so many steps.
  struct Measured {
    std::int64_t step = -1;
    std::optional<Evaluation> evaluation = {};
    bool is_there = false;  ///< the set, as an evaluation has shown
  };

  Evaluation measure(EvaluationSet set);

  DistributedSGD& sgd_;
  std::array<Measured, 2> measured_;  ///< by EvaluationSet
};

}  // namespace troupe::cli
