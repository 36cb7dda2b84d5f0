#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "troupe/data.hpp"
#include "troupe/loss.hpp"
#include "troupe/metric.hpp"
#include "troupe/model.hpp"

namespace troupe {

/// Computes the metrics of an evaluation of one shard, sample by sample. Loss and hits are not among these metrics.
class SampleMetrics {
 public:
  /// @param measure the built-in metrics to compute
  /// @param metrics the user's metrics to compute; must outlive this object
  /// @throws Error unsupported if the data has more classes or targets than the requested metrics support.
  SampleMetrics(const DataInfo& data, const EvaluationOptions& measure, std::span<const Metric> metrics);

  /// Returns whether any requested metric applies to the data.
  bool any() const { return counts_ || top_k_ > 0 || !targets_.empty() || !metrics_.empty(); }

  /// Adds a sample. Does not add it to the confusion matrix and to top-k if the network does not have one output for
  /// each class. Does not add it to the errors if the network does not have one output for each target.
  /// @param loss converts the outputs to predictions
  /// @throws Error model_failed that names a metric with a value that is not finite.
  void add(const Loss& loss, std::span<const float> outputs, const Target& target);

  /// Writes the requested metrics of all added samples into `result`.
  void write_to(EvaluationResult& result) const;

 private:
  void add_class(std::span<const float> outputs, std::size_t label);
  void add_errors(const Loss& loss, std::span<const float> outputs, std::span<const float> wanted);

  std::span<const Metric> metrics_;
  std::size_t classes_ = 0;
  bool counts_ = false;  ///< whether the confusion matrix is counted
  std::size_t top_k_ = 0;
  std::int64_t samples_with_class_ = 0;
  std::int64_t samples_with_errors_ = 0;
  std::int64_t top_k_correct_ = 0;
  std::vector<std::int64_t> confusion_;
  std::vector<TargetSums> targets_;
  std::vector<float> meant_;  ///< predictions for one sample: its outputs, converted by the loss
  std::vector<double> metric_sums_;
};

}  // namespace troupe
