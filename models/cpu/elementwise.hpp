#pragma once

#include <cstdint>

#include "models/cpu/layout.hpp"

// Each function with a layout processes the values of `batch` samples with this layout.
namespace troupe::cpu {

/// Sets negative values to zero.
void relu_forward(void* values, const Layout& layout, std::int64_t batch);
/// Sets elements of the gradient to zero where `output`, the output of a ReLU, is zero.
void relu_backward(const void* output, void* gradient, const Layout& layout, std::int64_t batch);
/// Returns true if any value is NaN.
bool has_nan(const void* values, const Layout& layout, std::int64_t batch);
/// Adds the values of `from` to those of `to`, which has the same layout.
void accumulate(const void* from, void* to, const Layout& layout, std::int64_t batch);
void accumulate(const float* from, float* to, std::int64_t count);
/// Converts floats to the element type of the layout. `to_floats` converts in the other direction. The positions of
/// values stay the same.
void from_floats(const float* values, void* to, const Layout& layout, std::int64_t batch);
void to_floats(const void* values, float* to, const Layout& layout, std::int64_t batch);

}  // namespace troupe::cpu
