#pragma once

#include <bit>
#include <cstdint>
#include <span>

namespace troupe {

/// Returns the bits of a float without its sign. As integers they are ordered like magnitudes, with infinity and NaN
/// above all finite values. Unlike a maximum of floats, a maximum of integers may be taken in any order, so loops can
/// be vectorized.
inline std::uint32_t magnitude_bits(float value) { return std::bit_cast<std::uint32_t>(value) & 0x7fff'ffff; }
/// Returns the largest magnitude bits of the floats; 0 for an empty span.
std::uint32_t largest_magnitude(std::span<const float> values);
/// Returns whether all floats with this largest magnitude are finite.
inline bool is_finite(std::uint32_t largest_magnitude) { return largest_magnitude < 0x7f80'0000; }

}  // namespace troupe
