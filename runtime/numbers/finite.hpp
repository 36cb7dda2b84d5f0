#pragma once

#include <bit>
#include <cstdint>
#include <span>

namespace troupe {

/// Returns the bits of a float without its sign, as an integer. A greater magnitude gives a greater integer, and
/// infinity and NaN give greater integers than all finite floats. To find the largest magnitude, the code compares
/// integers, because the compiler can vectorize a maximum of integers, but not a maximum of floats.
inline std::uint32_t magnitude_bits(float value) { return std::bit_cast<std::uint32_t>(value) & 0x7fff'ffff; }
/// Returns the maximum of `magnitude_bits` over the floats; 0 for an empty span.
std::uint32_t largest_magnitude(std::span<const float> values);
/// Returns whether all floats of a span are finite.
/// @param largest_magnitude the result of the function `largest_magnitude` for the span
inline bool is_finite(std::uint32_t largest_magnitude) { return largest_magnitude < 0x7f80'0000; }

}  // namespace troupe
