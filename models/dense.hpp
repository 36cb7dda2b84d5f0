#pragma once

#include <cstddef>

namespace troupe {

/// Returns the sum of a[i] * b[i] over all i below `count`. The order of additions depends on `count` only, so the
/// result is bitwise identical for all addresses of `a` and `b` and all widths of vector registers.
float dot(const float* a, const float* b, std::size_t count);

/// Computes to[i] += factor * from[i] for each i below `count`.
void add_scaled(float factor, const float* from, std::size_t count, float* to);

/// Computes to[i] = a[i] - b[i] for each i below `count`.
void subtract(const float* a, const float* b, std::size_t count, float* to);

/// Computes to[i] = factor * from[i] for each i below `count`.
void scale(float factor, const float* from, std::size_t count, float* to);

}  // namespace troupe
