#include <algorithm>
#include <cmath>
#include <string>

#include "models/losses/kinds_of_data.hpp"
#include "runtime/invalid.hpp"
#include "troupe/loss.hpp"

namespace troupe::losses {
namespace {

/// Returns the logarithm of the sum of exp(score) over all scores in `row`. Subtracts the largest score from all scores
/// first, so that no exponential overflows, and adds it to the result.
double log_sum_exp(std::span<const float> row) {
  const double largest = *std::max_element(row.begin(), row.end());
  double sum = 0;
  for (const float score : row) sum += std::exp(score - largest);
  return largest + std::log(sum);
}

class SoftmaxCrossEntropy final : public Loss {
 public:
  explicit SoftmaxCrossEntropy(double label_smoothing)
      : Loss("softmax-cross-entropy"), label_smoothing_(label_smoothing) {
    if (!(label_smoothing >= 0 && label_smoothing < 1))
      throw_invalid("label smoothing must be at least 0 and less than 1, not " + std::to_string(label_smoothing));
  }

  std::int64_t num_outputs(const DataInfo& data) const override {
    check_has_classes(*this, data);
    return data.num_classes;
  }

  double value(std::span<const float> outputs, const Target& target) const override {
    return log_sum_exp(outputs) - outputs[static_cast<std::size_t>(target.label)];
  }

  double gradient(std::span<const float> outputs, const Target& target, std::span<float> gradient) const override {
    const auto label = static_cast<std::size_t>(target.label);
    const double total = log_sum_exp(outputs);
    const double others = label_smoothing_ / static_cast<double>(outputs.size());  // the target probability of each
                                                                                   // class other than `label`
    double sum = 0;
    for (std::size_t i = 0; i < outputs.size(); ++i) {
      gradient[i] = static_cast<float>(std::exp(outputs[i] - total) - others);
      sum += outputs[i];
    }
    gradient[label] -= static_cast<float>(1 - label_smoothing_);
    return total - (1 - label_smoothing_) * outputs[label] - others * sum;
  }

  bool has_hits() const override { return true; }
  bool is_hit(std::span<const float> outputs, const Target& target) const override {
    return std::max_element(outputs.begin(), outputs.end()) - outputs.begin() == target.label;
  }

  void to_probabilities(std::span<float> outputs) const override {
    const double total = log_sum_exp(outputs);
    for (float& output : outputs) output = static_cast<float>(std::exp(output - total));
  }

 private:
  double label_smoothing_;
};

}  // namespace

std::shared_ptr<const Loss> softmax_cross_entropy(double label_smoothing) {
  return std::make_shared<const SoftmaxCrossEntropy>(label_smoothing);
}

}  // namespace troupe::losses
