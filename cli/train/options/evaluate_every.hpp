#pragma once

#include <cstdint>
#include <string>

namespace troupe::cli {

/// How often training stops to measure the set that is watched.
struct EvaluateEvery {
  std::int64_t steps = 0;   ///< 0: by epochs
  std::int64_t epochs = 1;  ///< where it is by epochs

  /// Whether a step has come to a place where it measures. @param before steps done before it. @param epoch_steps 0:
  /// there are no epochs
  bool is_due(std::int64_t before, std::int64_t done, std::int64_t epoch_steps) const {
    const std::int64_t each = steps > 0 ? steps : epochs * epoch_steps;
    return each > 0 && done / each > before / each;
  }
};

/// "500" is steps, "2e" epochs. @throws Error invalid_argument
EvaluateEvery parse_evaluate_every(const std::string& text);

}  // namespace troupe::cli
