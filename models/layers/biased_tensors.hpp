#pragma once

#include <vector>

#include "troupe/layer.hpp"

namespace troupe::models {

/// Returns weights and one bias per output, both uniform in +-1 / sqrt(fan in).
/// @param shape the shape of the weights, outputs first
std::vector<LayerTensor> biased_tensors(std::vector<std::int64_t> shape);

}  // namespace troupe::models
