#pragma once

#include <cstdint>

#include "models/cpu/layout.hpp"

namespace troupe::cpu {

/// Sets negative values to zero.
void relu_forward(void* values, const Layout& layout, std::int64_t batch);
/// Sets the gradient to zero where the ReLU set its output to zero.
void relu_backward(const void* output, void* gradient, const Layout& layout, std::int64_t batch);
/// Returns true if any value is NaN.
bool has_nan(const void* values, const Layout& layout, std::int64_t batch);
/// Adds `from` to `to`, which has the same layout.
void accumulate(const void* from, void* to, const Layout& layout, std::int64_t batch);
void accumulate(const float* from, float* to, std::int64_t count);
/// Convert floats to the activations of a layout, and back.
void from_floats(const float* values, void* to, const Layout& layout, std::int64_t batch);
void to_floats(const void* values, float* to, const Layout& layout, std::int64_t batch);

}  // namespace troupe::cpu
