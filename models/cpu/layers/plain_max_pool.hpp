#pragma once

#include "models/cpu/operation.hpp"

namespace troupe::cpu {

/// Whether the layer is a max-pooling of floats whose windows neither overlap nor reach over the edge.
bool is_plain_max_pool(const PlacedLayer& layer);
std::unique_ptr<Operation> make_plain_max_pool(const PlacedLayer& layer, std::int64_t batch);

}  // namespace troupe::cpu
