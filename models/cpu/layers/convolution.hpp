#pragma once

#include "models/cpu/operation.hpp"

namespace troupe::cpu {

std::unique_ptr<Operation> make_convolution(Context& context, const PlacedLayer& layer, std::int64_t batch);

/// Creates one operation that computes a convolution without ReLU and the max-pooling after it. The windows of the
/// pooling must be plain (Window::is_plain). Both layers process a few samples at a time, so that the values between
/// the layers stay in the cache.
std::unique_ptr<Operation> make_convolution_pool(Context& context, const PlacedLayer& convolution,
                                                 const PlacedLayer& pool, std::int64_t batch);

}  // namespace troupe::cpu
