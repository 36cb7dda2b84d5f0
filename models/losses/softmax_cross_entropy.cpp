#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>

#include "models/losses/kinds_of_data.hpp"
#include "models/row_maths.hpp"
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

/// From this number of outputs on, exponentials are computed in floats, by vector instructions.
constexpr std::size_t kManyOutputs = 1024;

/// Writes exp(score - largest) for each score, and returns the sum of these.
TROUPE_CLONES double exponentials(const float* scores, std::int64_t count, float largest, float* to) {
  constexpr std::int64_t kPiece = 1024;  // whose sum is computed in floats
  double sum = 0;
  for (std::int64_t first = 0; first < count; first += kPiece) {
    const std::int64_t piece = std::min(kPiece, count - first);
    for (std::int64_t i = first; i < first + piece; ++i) to[i] = exp_of(scores[i] - largest);
    sum += sum_row(piece, [=](std::int64_t i) { return to[first + i]; });
  }
  return sum;
}

TROUPE_CLONES void scale_and_subtract(std::int64_t count, float factor, float subtracted, float* values) {
  for (std::int64_t i = 0; i < count; ++i) values[i] = values[i] * factor - subtracted;
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
    const double others = label_smoothing_ / static_cast<double>(outputs.size());  // the target probability of each
                                                                                   // class other than `label`
    if (outputs.size() >= kManyOutputs) return gradient_of_many(outputs, label, others, gradient);
    const double total = log_sum_exp(outputs);
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
  double gradient_of_many(std::span<const float> outputs, std::size_t label, double others,
                          std::span<float> gradient) const {
    const float largest = max_row(outputs.data(), std::ssize(outputs));
    const double sum = exponentials(outputs.data(), std::ssize(outputs), largest, gradient.data());
    scale_and_subtract(std::ssize(outputs), static_cast<float>(1 / sum), static_cast<float>(others), gradient.data());
    gradient[label] -= static_cast<float>(1 - label_smoothing_);
    const double scores = others == 0 ? 0 : std::accumulate(outputs.begin(), outputs.end(), 0.0);
    return largest + std::log(sum) - (1 - label_smoothing_) * outputs[label] - others * scores;
  }

  double label_smoothing_;
};

}  // namespace

std::shared_ptr<const Loss> softmax_cross_entropy(double label_smoothing) {
  return std::make_shared<const SoftmaxCrossEntropy>(label_smoothing);
}

}  // namespace troupe::losses
