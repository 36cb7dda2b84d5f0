#pragma once

#include <vector>

#include "troupe/layer.hpp"

namespace troupe::models {

/// Returns the descriptions of two tensors: weights, and one bias for each output. The first values of both are uniform
/// in +-1 / sqrt(fan in).
/// @param shape the shape of the weights; its first element is the number of outputs
std::vector<LayerTensor> biased_tensors(std::vector<std::int64_t> shape);

}  // namespace troupe::models
