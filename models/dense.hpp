#pragma once

#include <cstddef>

namespace troupe {

/// Returns the sum of a[i] * b[i]. The order of additions depends on `count` only, so the result is bitwise identical
/// for all addresses and all register widths.
float dot(const float* a, const float* b, std::size_t count);

/// Computes to[i] += factor * from[i] for each i below `count`.
void add_scaled(float factor, const float* from, std::size_t count, float* to);

/// Computes to[i] = a[i] - b[i] for each i below `count`.
void subtract(const float* a, const float* b, std::size_t count, float* to);

/// Computes to[i] = factor * from[i] for each i below `count`.
void scale(float factor, const float* from, std::size_t count, float* to);

}  // namespace troupe
