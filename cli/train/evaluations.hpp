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

  /// Of targets with R2, unless there are too many. None where the data has no such set. Workers' own bad_data, which
  /// names the worker, is thrown, and so is any behind an evaluation that found the set.
  const std::optional<Evaluation>& of(EvaluationSet set);

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
