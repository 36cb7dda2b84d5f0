#pragma once

// Metrics of your own. Every evaluation measures them for each sample:
//
//    troupe::register_metric({"absolute-error", [](std::span<const float> outputs, const troupe::Target& target) {
//      return std::abs(double{outputs[0]} - target.values[0]);
//    }});

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "troupe/data.hpp"
#include "troupe/loss.hpp"
#include "troupe/model.hpp"

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

/// Computes the metrics of an evaluation of one shard, sample by sample: confusion matrix, top-k, errors of targets,
/// and the user's metrics. The loss and the number of correct samples are computed elsewhere.
class SampleMetrics {
 public:
  /// @param measure the built-in metrics to compute
  /// @param metrics the user's metrics to compute; must outlive this object
  /// @throws Error unsupported if the data has more classes or targets than the requested metrics support.
  SampleMetrics(const DataInfo& data, const EvaluationOptions& measure, std::span<const Metric> metrics);

  /// Returns whether this object has anything to compute: whether at least one requested metric applies to the data.
  bool any() const { return counts_ || top_k_ > 0 || !targets_.empty() || !metrics_.empty(); }

  /// Adds a sample to the metrics. If the network does not have one output for each class, the sample does not count
  /// for the confusion matrix and for top-k. If the network does not have one output for each target, the sample does
  /// not count for the errors of targets.
  /// @param loss converts the outputs of the network to predictions
  /// @param outputs the outputs of the network for this sample
  /// @param target the class or the targets of the sample
  /// @throws Error model_failed if a metric of the user returns a value that is not finite; the message names the
  /// metric.
  void add(const Loss& loss, std::span<const float> outputs, const Target& target);

  /// Writes the sums over all added samples for the requested metrics into `result`.
  void write_to(EvaluationResult& result) const;

 private:
  void add_class(std::span<const float> outputs, std::size_t label);
  void add_errors(const Loss& loss, std::span<const float> outputs, std::span<const float> wanted);

  std::span<const Metric> metrics_;
  std::size_t classes_ = 0;
  bool counts_ = false;  ///< whether to compute the confusion matrix
  std::size_t top_k_ = 0;
  std::int64_t samples_with_class_ = 0;
  std::int64_t samples_with_errors_ = 0;
  std::int64_t top_k_correct_ = 0;
  std::vector<std::int64_t> confusion_;
  std::vector<TargetSums> targets_;
  std::vector<float> meant_;  ///< the predictions for one sample: the outputs of the network, converted by the loss
  std::vector<double> metric_sums_;
};

}  // namespace troupe
