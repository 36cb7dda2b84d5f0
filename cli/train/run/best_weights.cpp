#include "cli/train/run/best_weights.hpp"

#include <array>
#include <cstdio>

namespace troupe::cli {

void BestWeights::offer(DistributedSGD& sgd, std::optional<double> value) {
  if (file_.empty() || !value || !is_better(*value)) return;
  sgd.save(file_);
  best_ = value;
  step_ = sgd.steps_done();
}

std::string BestWeights::text() const { return best_weights_text(file_, metric_, *best_, step_); }

std::string best_weights_text(const std::string& file, const std::string& metric, double value, std::int64_t step) {
  std::array<char, 32> number{};
  std::snprintf(number.data(), number.size(), "%.4f", value);
  return "best weights saved to " + file + ": " + metric + ' ' + number.data() + ", after step " + std::to_string(step);
}

}  // namespace troupe::cli
