#pragma once

#include "models/cpu/layer_kernels.hpp"

namespace troupe::cpu {

/// Returns the operation of a linear layer whose input is a sequence. `place_sequence` must have placed the layer.
std::unique_ptr<Operation> make_position_linear(const PlacedLayer& layer, std::int64_t batch);

}  // namespace troupe::cpu
