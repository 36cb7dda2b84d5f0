#pragma once

#include <cstdint>

#include "models/cpu/layout.hpp"

namespace troupe::cpu {

/// Zeroes what is negative.
void relu_forward(void* values, const Layout& layout, std::int64_t batch);
/// Zeroes the gradients of outputs that a ReLU cut off.
void relu_backward(const void* output, void* gradient, const Layout& layout, std::int64_t batch);
/// Whether any value is NaN.
bool has_nan(const void* values, const Layout& layout, std::int64_t batch);
/// Adds `from` to `to`, of the same layout.
void accumulate(const void* from, void* to, const Layout& layout, std::int64_t batch);
void accumulate(const float* from, float* to, std::int64_t count);
/// Floats to the activations of a layout, and back.
void from_floats(const float* values, void* to, const Layout& layout, std::int64_t batch);
void to_floats(const void* values, float* to, const Layout& layout, std::int64_t batch);

}  // namespace troupe::cpu
