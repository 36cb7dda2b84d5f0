#pragma once

#include <cmath>
#include <cstdint>
#include <vector>

#include "models/optimizers/pytorch_adamw.hpp"
#include "models/optimizers/settings.hpp"

namespace troupe::testing {

/// The parameters that pytorch_adamw.py trains: 8 weights and 4 biases.
inline constexpr std::size_t kTrialWeights = 8;
inline constexpr std::size_t kTrialSize = 12;
inline constexpr int kTrialSteps = 10;

inline float trial_start(std::size_t i) { return (static_cast<float>(29 * i % 32) - 16) / 8; }
inline float trial_gradient(std::int64_t step, std::size_t i) {
  return (static_cast<float>((37 * i + 101 * static_cast<std::size_t>(step)) % 64) - 32) / 16;
}

inline OptimizerSettings trial_options() {
  OptimizerSettings options;
  options.kind = "adamw";
  options.learning_rate = 0.05;
  options.weight_decay = 0.1;
  return options;
}

/// Returns the largest difference in units of the last place of a number between 1 and 2.
inline float ulps_between(const std::vector<float>& ours, const std::array<float, kTrialSize>& theirs) {
  float most = 0;
  for (std::size_t i = 0; i < kTrialSize; ++i) most = std::fmax(most, std::fabs(ours.at(i) - theirs.at(i)) * 0x1p23F);
  return most;
}

}  // namespace troupe::testing
