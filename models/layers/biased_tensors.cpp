#include "models/layers/biased_tensors.hpp"

#include <cmath>
#include <utility>

namespace troupe::models {

std::vector<LayerTensor> biased_tensors(std::vector<std::int64_t> shape) {
  const std::int64_t outputs = shape[0];
  LayerTensor weight{.info = {"weight", std::move(shape)}, .start = LayerTensor::Start::uniform};
  const double fan_in = static_cast<double>(weight.info.size()) / static_cast<double>(outputs);
  weight.scale = 1 / std::sqrt(fan_in);
  return {weight, {{"bias", {outputs}}, weight.start, weight.scale}};
}

}  // namespace troupe::models
