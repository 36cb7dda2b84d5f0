#include "models/losses/kinds_of_data.hpp"
#include "troupe/loss.hpp"

namespace troupe::losses {
namespace {

class MeanSquaredError final : public Loss {
 public:
  MeanSquaredError() : Loss("mean-squared-error") {}

  std::int64_t num_outputs(const DataInfo& data) const override {
    check_has_targets(*this, data);
    return data.num_targets;
  }

  double value(std::span<const float> outputs, const Target& target) const override {
    double sum = 0;
    for (std::size_t i = 0; i < outputs.size(); ++i) {
      const double error = static_cast<double>(outputs[i]) - static_cast<double>(target.values[i]);
      sum += error * error;
    }
    return sum / static_cast<double>(outputs.size());
  }

  double gradient(std::span<const float> outputs, const Target& target, std::span<float> gradient) const override {
    const auto count = static_cast<double>(outputs.size());
    for (std::size_t i = 0; i < outputs.size(); ++i) {
      const double error = static_cast<double>(outputs[i]) - static_cast<double>(target.values[i]);
      gradient[i] = static_cast<float>(2 * error / count);
    }
    return value(outputs, target);
  }
};

}  // namespace

std::shared_ptr<const Loss> mean_squared_error() { return std::make_shared<const MeanSquaredError>(); }

}  // namespace troupe::losses
