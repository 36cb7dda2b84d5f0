#pragma once

#include "models/cpu/operation.hpp"

namespace troupe::cpu {

std::unique_ptr<Operation> make_convolution(Context& context, const PlacedLayer& layer, std::int64_t batch);

/// Creates one operation for a convolution without ReLU and the max-pooling after it, whose windows must be plain
/// (Window::is_plain). Both layers run for one slice of the batch at a time, so that the values between the layers stay
/// in the cache.
std::unique_ptr<Operation> make_convolution_pool(Context& context, const PlacedLayer& convolution,
                                                 const PlacedLayer& pool, std::int64_t batch);

}  // namespace troupe::cpu
