#pragma once

#include <functional>
#include <span>
#include <string>

#include "troupe/loss.hpp"

namespace troupe {

/// What an evaluation measures of each sample beside its loss, such as a distance that users understand. It tells the
/// mean over the samples.
struct Metric {
  /// Of one sample: finite. Outputs are as the loss is given them (Loss::to_probabilities makes probabilities of them).
  /// Used by several threads at once, so it keeps nothing from one sample to the next. @throws Error bad_data for a
  /// target that it cannot measure.
  using Value = std::function<double(std::span<const float> outputs, const Target& target)>;

  std::string name;
  Value value;
};

/// Makes a metric known under its name, for the built-in networks' "metrics". Call it before `init`, so that worker
/// processes know it, too. "brier-score" is there: of data with classes, the sum of (probability - 1 or 0)^2.
/// @throws Error invalid_argument for a name that is taken or empty, or without a function.
void register_metric(Metric metric);

}  // namespace troupe
