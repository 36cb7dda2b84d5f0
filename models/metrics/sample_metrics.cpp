#include <algorithm>
#include <cmath>
#include <string>

#include "troupe/error.hpp"
#include "troupe/metric.hpp"

namespace troupe {
namespace {

void check_measurable(std::int64_t count, std::int64_t most, const char* of_what) {
  if (count <= most) return;
  throw Error(ErrorCode::unsupported, std::string(of_what) + " support at most " + std::to_string(most) +
                                          "; the data has " + std::to_string(count));
}

/// Returns whether the output with index `label` is among the `k` largest outputs. Of two equal outputs, the one with
/// the lower index counts as larger. The count of correct samples follows the same rule.
bool is_among_largest(std::span<const float> outputs, std::size_t label, std::size_t k) {
  const float own = outputs[label];
  std::size_t before = 0;
  for (std::size_t i = 0; i < outputs.size(); ++i)
    if (i != label && (i < label ? !(outputs[i] < own) : !(outputs[i] <= own))) ++before;  // also counts NaN as larger
  return before < k;
}

/// Updates the mean of the targets, and the sum of their squared deviations from the mean, for one more target
/// (Welford's algorithm). The algorithm keeps its precision even if the mean is large compared with the deviations.
/// @param samples the number of samples so far, including this one
void add_target(TargetSums& sums, double target, std::int64_t samples) {
  const double before = target - sums.mean;
  sums.mean += before / static_cast<double>(samples);
  sums.deviation += before * (target - sums.mean);
}

}  // namespace

SampleMetrics::SampleMetrics(const DataInfo& data, const EvaluationOptions& measure, std::span<const Metric> metrics)
    : metrics_(metrics), metric_sums_(metrics.size()) {
  if (data.num_classes > 0) {
    if (measure.confusion) check_measurable(data.num_classes, kMostConfusionClasses, "classes of a confusion matrix");
    classes_ = static_cast<std::size_t>(data.num_classes);
    counts_ = measure.confusion;
    top_k_ = static_cast<std::size_t>(std::max(0, measure.top_k));
  } else if (measure.errors) {
    check_measurable(data.num_targets, kMostErrorTargets, "targets with errors");
    targets_.resize(static_cast<std::size_t>(data.num_targets));
  }
}

void SampleMetrics::add(const Loss& loss, std::span<const float> outputs, const Target& target) {
  if ((counts_ || top_k_ > 0) && outputs.size() == classes_) add_class(outputs, static_cast<std::size_t>(target.label));
  if (!targets_.empty() && outputs.size() == targets_.size()) add_errors(loss, outputs, target.values);
  for (std::size_t i = 0; i < metrics_.size(); ++i) {
    const double value = metrics_[i].value(outputs, target);
    if (!std::isfinite(value))
      throw Error(ErrorCode::model_failed, "metric '" + metrics_[i].name + "' returned a value that is not finite");
    metric_sums_[i] += value;
  }
}

void SampleMetrics::add_class(std::span<const float> outputs, std::size_t label) {
  ++samples_with_class_;
  if (top_k_ > 0) top_k_correct_ += is_among_largest(outputs, label, top_k_) ? 1 : 0;
  if (!counts_) return;
  confusion_.resize(classes_ * classes_);
  const auto taken_for = static_cast<std::size_t>(std::ranges::max_element(outputs) - outputs.begin());
  ++confusion_[label * classes_ + taken_for];
}

void SampleMetrics::add_errors(const Loss& loss, std::span<const float> outputs, std::span<const float> wanted) {
  ++samples_with_errors_;
  meant_.assign(outputs.begin(), outputs.end());
  loss.to_probabilities(meant_);
  for (std::size_t i = 0; i < targets_.size(); ++i) {
    const double target = wanted[i];
    const double error = meant_[i] - target;
    targets_[i].squared_error += error * error;
    targets_[i].absolute_error += std::abs(error);
    add_target(targets_[i], target, samples_with_errors_);
  }
}

void SampleMetrics::write_to(EvaluationResult& result) const {
  if (top_k_ > 0 && samples_with_class_ > 0) result.top_k_correct = top_k_correct_;
  result.confusion = confusion_;
  if (samples_with_errors_ > 0) result.targets = targets_;
  result.metric_sums = metric_sums_;
}

}  // namespace troupe
