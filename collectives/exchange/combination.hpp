#pragma once

#include <cstddef>
#include <span>
#include <vector>

// Functions for L-BFGS that compute vectors element by element. The output element at an index depends only on the
// input elements at the same index, so a vector may be divided into chunks anywhere.
namespace troupe {

/// The maximum number of floats per vector in one call of `combine`. With 4,096 floats the sums stay in the caches.
/// Measured with 21 vectors, `combine` is 5% faster than with one page (1,024 floats) per call.
inline constexpr std::size_t kCombined = 4096;

/// Writes the linear combination of vectors, the sum over i of `coefficients[i] * terms[i]`, to `to`. Each element is
/// added in doubles, in order of i, and rounded to a float once.
/// @param terms one pointer per vector, to `count` floats
/// @param count at most kCombined
/// @param next one pointer per vector, to the floats that the next call reads; they are prefetched into the cache
void combine(std::span<const float* const> terms, std::span<const double> coefficients, std::size_t count, float* to,
             std::span<const float* const> next);

/// Computes to = values: converts `count` floats to doubles.
void widen(const float* values, std::size_t count, double* to);

/// Computes to = from + length * direction for `count` floats, in doubles, and rounds each result once.
void move_along(const float* from, const float* direction, double length, std::size_t count, float* to);

/// Computes to = (now - before) / length for `count` floats, in doubles, and rounds each result once.
void quotient_of_change(const float* now, const float* before, double length, std::size_t count, float* to);

}  // namespace troupe
