#pragma once

// Metrics of your own. Every evaluation measures them for each sample:
//
//    troupe::register_metric({"absolute-error", [](std::span<const float> outputs, const troupe::Target& target) {
//      return std::abs(double{outputs[0]} - target.values[0]);
//    }});

#include <functional>
#include <span>
#include <string>

#include "troupe/loss.hpp"

namespace troupe {

/// A number that an evaluation measures for each sample in addition to the loss, such as a distance in the user's unit.
/// The evaluation reports the mean of this number over the samples.
struct Metric {
  /// A function that computes the metric for one sample. The result must be finite. `outputs` are the raw outputs of
  /// the network, which the loss also receives; Loss::to_probabilities converts them to probabilities. The function
  /// must be thread-safe and must not keep state between samples. It throws Error bad_data for a target that the metric
  /// cannot measure.
  using Value = std::function<double(std::span<const float> outputs, const Target& target)>;

  std::string name;  ///< unique among metrics
  Value value;       ///< must not be empty
};

/// Registers a metric under its name, so that the key "metrics" in the config of built-in models can refer to it. Call
/// register_metric before `init`, so that worker processes register the metric, too. Troupe itself registers
/// "brier-score", for data with classes: the sum of (p - y)^2 over the classes. Here p is the probability of a class,
/// and y is 1 for the class of the sample and 0 for other classes.
/// @throws Error invalid_argument if the name is empty or taken, or `value` is empty.
void register_metric(Metric metric);

}  // namespace troupe
