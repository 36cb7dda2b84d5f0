#pragma once

#include <vector>

#include "troupe/layer.hpp"

namespace troupe::models {

/// Weights and a bias for each output, both uniform in +-1 / sqrt(fan in).
/// @param shape of the weights, outputs first.
std::vector<LayerTensor> biased_tensors(std::vector<std::int64_t> shape);

}  // namespace troupe::models
