#pragma once

#include <bit>
#include <cstdint>
#include <span>

namespace troupe {

/// Returns the bits of a float without its sign, as an integer. These integers are ordered like the magnitudes of the
/// floats, and those of infinity and NaN are above those of all finite floats. The compiler can vectorize a maximum of
/// integers, but not a maximum of floats, whose order of evaluation matters.
inline std::uint32_t magnitude_bits(float value) { return std::bit_cast<std::uint32_t>(value) & 0x7fff'ffff; }
/// Returns the maximum of `magnitude_bits` over the floats; 0 for an empty span.
std::uint32_t largest_magnitude(std::span<const float> values);
/// Returns whether floats are all finite. @param largest_magnitude the result of `largest_magnitude` for these floats
inline bool is_finite(std::uint32_t largest_magnitude) { return largest_magnitude < 0x7f80'0000; }

}  // namespace troupe
