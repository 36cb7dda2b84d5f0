#include "actors/data/own_data.hpp"

#include <cmath>
#include <memory>
#include <stdexcept>
#include <string>

#include "troupe/troupe.hpp"

using namespace troupe;

namespace troupe_test {
namespace {

constexpr std::int64_t kSamples = 20;

class OwnData final : public DataSource {
 public:
  explicit OwnData(std::string fault)
      : DataSource({.num_samples = kSamples,
                    .shape = {3},
                    .num_classes = fault.empty() ? 0 : 2,
                    .num_targets = fault.empty() ? 2 : 0}),
        fault_(std::move(fault)) {}

 private:
  void read(const BatchRequest& request) const override {
    for (std::size_t i = 0; i < request.samples.size(); ++i) {
      const std::int64_t sample = request.samples[i];
      if (fault_ == "throw" && sample == 7) throw std::runtime_error("sample 7 cannot be read");
      for (std::size_t j = 0; j < 3; ++j) request.values[3 * i + j] = std::sin(static_cast<float>(sample) + j);
      if (fault_.empty()) {
        for (std::size_t j = 0; j < 2; ++j) request.targets[2 * i + j] = std::cos(static_cast<float>(sample) + j);
      } else {
        request.labels[i] = sample == 7 ? 2 : 0;
      }
    }
  }

  std::string fault_;
};

TrainingData make_own_data(const std::string& fault, std::uint64_t /*seed*/) {
  const auto set = std::make_shared<const OwnData>(fault);
  return {set, set};
}

double fourth_power(std::span<const float> outputs, const Target& target) {
  double sum = 0;
  for (std::size_t i = 0; i < outputs.size(); ++i) sum += std::pow(outputs[i] - target.values[i], 4.0);
  return sum;
}

void fourth_power_gradient(std::span<const float> outputs, const Target& target, std::span<float> gradient) {
  for (std::size_t i = 0; i < outputs.size(); ++i)
    gradient[i] = static_cast<float>(4 * std::pow(outputs[i] - target.values[i], 3.0));
}

}  // namespace

void register_own_data() {
  register_data("own", make_own_data, {.arguments = "[:FAULT]"});
  register_loss(std::make_shared<FunctionLoss>("fourth-power", fourth_power, fourth_power_gradient));
}

}  // namespace troupe_test
