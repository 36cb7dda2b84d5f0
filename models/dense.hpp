#pragma once

#include <cstddef>

namespace troupe {

/// Returns the sum of a[i] * b[i]. The order of additions depends on `count` only, so the result is bitwise identical
/// for all addresses and all register widths.
float dot(const float* a, const float* b, std::size_t count);

/// to[i] += factor * from[i]
void add_scaled(float factor, const float* from, std::size_t count, float* to);

/// to[i] = a[i] - b[i]
void subtract(const float* a, const float* b, std::size_t count, float* to);

/// to[i] = factor * from[i]
void scale(float factor, const float* from, std::size_t count, float* to);

}  // namespace troupe
