#pragma once

#include <cstdint>

#include "models/cpu/layout.hpp"

// In this file, each function with a parameter `layout` processes the values of `batch` samples that have this layout.
namespace troupe::cpu {

/// Sets negative values to zero.
void relu_forward(void* values, const Layout& layout, std::int64_t batch);
/// Sets elements of `gradient` to zero at positions where `output`, the output of a ReLU, is zero.
void relu_backward(const void* output, void* gradient, const Layout& layout, std::int64_t batch);
/// Returns true if any value is NaN.
bool has_nan(const void* values, const Layout& layout, std::int64_t batch);
/// Adds the values at `from` to the values at `to`, which have the same layout.
void accumulate(const void* from, void* to, const Layout& layout, std::int64_t batch);
void accumulate(const float* from, float* to, std::int64_t count);
/// `from_floats` converts floats to the element type of `layout`, and `to_floats` converts such elements to floats. The
/// order of the values stays the same.
void from_floats(const float* values, void* to, const Layout& layout, std::int64_t batch);
void to_floats(const void* values, float* to, const Layout& layout, std::int64_t batch);

}  // namespace troupe::cpu
