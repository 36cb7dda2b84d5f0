#include "troupe/loss.hpp"

#include <utility>

#include "runtime/invalid.hpp"

namespace troupe {

std::int64_t Loss::num_outputs(const DataInfo& data) const {
  return data.num_classes > 0 ? data.num_classes : data.num_targets;
}

bool Loss::is_hit(std::span<const float> /*outputs*/, const Target& /*target*/) const { return false; }

FunctionLoss::FunctionLoss(std::string name, Value value, Gradient gradient)
    : Loss(std::move(name)), value_(std::move(value)), gradient_(std::move(gradient)) {
  if (!value_ || !gradient_) throw_invalid("loss '" + this->name() + "' needs two functions: value and gradient");
}

double FunctionLoss::value(std::span<const float> outputs, const Target& target) const {
  return value_(outputs, target);
}

double FunctionLoss::gradient(std::span<const float> outputs, const Target& target, std::span<float> gradient) const {
  gradient_(outputs, target, gradient);
  return value_(outputs, target);
}

}  // namespace troupe
