#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "troupe/data.hpp"
#include "troupe/loss.hpp"
#include "troupe/metric.hpp"
#include "troupe/model.hpp"

namespace troupe {

/// What a shard's samples measure beside loss and hits, sample by sample.
class SampleMetrics {
 public:
  /// @param metrics outlive this. @throws Error unsupported where the data has more classes or targets than what is
  /// asked for is measured of.
  SampleMetrics(const DataInfo& data, const EvaluationOptions& measure, std::span<const Metric> metrics);

  /// Whether anything is asked for that such data has.
  bool any() const { return counts_ || top_k_ > 0 || !targets_.empty() || !metrics_.empty(); }

  /// @param loss says what the outputs mean. Networks that have not an output for each class have no classes here, and
  /// not for each target no errors. @throws Error model_failed naming the metric that is not finite.
  void add(const Loss& loss, std::span<const float> outputs, const Target& target);

  /// Writes what was asked for.
  void write_to(EvaluationResult& result) const;

 private:
  void add_class(std::span<const float> outputs, std::size_t label);
  void add_errors(const Loss& loss, std::span<const float> outputs, std::span<const float> wanted);

  std::span<const Metric> metrics_;
  std::size_t classes_ = 0;
  bool counts_ = false;  ///< into the confusion matrix
  std::size_t top_k_ = 0;
  std::int64_t samples_with_class_ = 0;
  std::int64_t samples_with_errors_ = 0;
  std::int64_t top_k_correct_ = 0;
  std::vector<std::int64_t> confusion_;
  std::vector<TargetSums> targets_;
  std::vector<float> meant_;  ///< a sample's outputs as the loss means them
  std::vector<double> metric_sums_;
};

}  // namespace troupe
