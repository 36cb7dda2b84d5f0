#include <algorithm>
#include <cmath>
#include <string>

#include "models/losses/kinds_of_data.hpp"
#include "troupe/error.hpp"
#include "troupe/loss.hpp"

namespace troupe::losses {
namespace {

/// Returns 1 / (1 + exp(-x)). If exp(-x) is too large for a double, the exponential is infinite, so the result is 0.
double sigmoid(double x) { return 1 / (1 + std::exp(-x)); }

void check_probabilities(std::span<const float> targets) {
  for (const float target : targets) {
    if (target >= 0 && target <= 1) continue;
    throw Error(ErrorCode::bad_data, "target " + std::to_string(target) + " is not in [0, 1]");
  }
}

class SigmoidCrossEntropy final : public Loss {
 public:
  SigmoidCrossEntropy() : Loss("sigmoid-cross-entropy") {}

  std::int64_t num_outputs(const DataInfo& data) const override {
    check_has_targets(*this, data);
    return data.num_targets;
  }

  /// Returns the mean loss of the outputs. The loss of an output x with target t is -t log(sigmoid(x)) - (1 - t) log(1
  /// - sigmoid(x)). This function computes the loss as max(x, 0) - t x + log(1 + exp(-|x|)), which is mathematically
  /// equal and always finite.
  double value(std::span<const float> outputs, const Target& target) const override {
    check_probabilities(target.values);
    double sum = 0;
    for (std::size_t i = 0; i < outputs.size(); ++i) {
      const double x = outputs[i];
      sum += std::max(x, 0.0) - static_cast<double>(target.values[i]) * x + std::log1p(std::exp(-std::abs(x)));
    }
    return sum / static_cast<double>(outputs.size());
  }

  double gradient(std::span<const float> outputs, const Target& target, std::span<float> gradient) const override {
    const auto count = static_cast<double>(outputs.size());
    for (std::size_t i = 0; i < outputs.size(); ++i) {
      const double off = sigmoid(outputs[i]) - static_cast<double>(target.values[i]);
      gradient[i] = static_cast<float>(off / count);
    }
    return value(outputs, target);
  }

  bool has_hits() const override { return true; }
  bool is_hit(std::span<const float> outputs, const Target& target) const override {
    return std::ranges::equal(outputs, target.values,
                              [](float output, float wanted) { return (output > 0) == (wanted > 0.5F); });
  }

  void to_probabilities(std::span<float> outputs) const override {
    for (float& output : outputs) output = static_cast<float>(sigmoid(output));
  }
};

}  // namespace

std::shared_ptr<const Loss> sigmoid_cross_entropy() { return std::make_shared<const SigmoidCrossEntropy>(); }

}  // namespace troupe::losses
