#pragma once

#include <cstddef>
#include <span>
#include <vector>

// Element-wise arithmetic of L-BFGS over a chunk of vectors: each float depends on those in its place alone.
namespace troupe {

/// Floats of each term that `combine` takes at most: their sums stay in the caches, and with so many a vector memory is
/// read a twentieth faster than page by page (measured at 21 vectors).
inline constexpr std::size_t kCombined = 4096;

/// Writes the sum of `terms` times `coefficients`, added in doubles in that order and rounded once.
/// @param count at most kCombined. @param next of each term, what is asked for after this
void combine(std::span<const float* const> terms, std::span<const double> coefficients, std::size_t count, float* to,
             std::span<const float* const> next);

/// to = values
void widen(const float* values, std::size_t count, double* to);

/// to = from + length * direction, in doubles, rounded once
void move_along(const float* from, const float* direction, double length, std::size_t count, float* to);

/// to = (now - before) / length, in doubles, rounded once
void quotient_of_change(const float* now, const float* before, double length, std::size_t count, float* to);

}  // namespace troupe
