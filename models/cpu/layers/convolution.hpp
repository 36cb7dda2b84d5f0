#pragma once

#include "models/cpu/operation.hpp"

namespace troupe::cpu {

std::unique_ptr<Operation> make_convolution(Context& context, const PlacedLayer& layer, std::int64_t batch);

/// A convolution without ReLU and the max-pooling of plain windows behind it. Both run slice by slice, so that the
/// values in between remain in the cache.
std::unique_ptr<Operation> make_convolution_pool(Context& context, const PlacedLayer& convolution,
                                                 const PlacedLayer& pool, std::int64_t batch);

}  // namespace troupe::cpu
