#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "troupe/data.hpp"

namespace troupe::testing {

/// Ten samples of four classes. If the values are used as outputs, class 2 is never predicted, and class 3 has no
/// samples.
inline const std::vector<std::int32_t> kMeasuredLabels{0, 0, 0, 1, 1, 1, 2, 2, 2, 0};
inline const std::vector<float> kMeasuredOutputs{3, 1, 0, 0, 2, 1, 0, -1, 1, 2, 0, 0,    0, 4, 1, 0, 5, 1, 0, 0,
                                                 0, 1, 0, 0, 2, 0, 1, 0,  1, 2, 0, 0.5F, 0, 0, 1, 2, 1, 0, 0, 2};
inline const std::vector<std::int64_t> kMeasuredConfusion{2, 1, 0, 1, 1, 2, 0, 0, 1, 1, 0, 1, 0, 0, 0, 0};
/// For the outputs above: in all samples but one, the class is among the two largest outputs.
inline constexpr std::int64_t kMeasuredTop2 = 9;
/// The sum of the outputs for the samples' own classes.
inline constexpr double kMeasuredOwnOutputs = 15;

inline std::shared_ptr<const Dataset> measured_classes() {
  return std::make_shared<const Dataset>(
      Dataset::classes({4}, kMeasuredOutputs, kMeasuredLabels, 4, "", {"one", "two", "three", "four"}));
}

/// Five samples of two values and two targets. `offset` is added to values and targets.
inline std::shared_ptr<const Dataset> measured_targets(float offset = 0) {
  std::vector<float> values{1, 10, 2, 20, 3, 30, 4, 40, 5, 50};
  std::vector<float> targets{1.5F, 12, 2, 18, 2.5F, 30, 4, 44, 6, 50};
  for (float& value : values) value += offset;
  for (float& target : targets) target += offset;
  return std::make_shared<const Dataset>(Dataset::targets({2}, values, targets, 2));
}

/// Returns weights of a linear layer with `outputs` inputs and outputs that returns its input.
inline std::vector<float> identity_weights(std::size_t outputs) {
  std::vector<float> weights(outputs * outputs + outputs);
  for (std::size_t i = 0; i < outputs; ++i) weights[i * outputs + i] = 1;
  return weights;
}

}  // namespace troupe::testing
