#pragma once

#include <bit>
#include <cstdint>
#include <span>

namespace troupe {

/// The bits of a float without its sign. They are ordered as magnitudes are, with infinity and then NaN above all that
/// is finite; and a maximum of integers, unlike one of floats, may be taken in any order, so loops can be as wide as
/// the registers are.
inline std::uint32_t magnitude_bits(float value) { return std::bit_cast<std::uint32_t>(value) & 0x7fff'ffff; }
/// The largest of them, of floats; 0 of none.
std::uint32_t largest_magnitude(std::span<const float> values);
/// Whether all floats are finite of which this is the largest magnitude.
inline bool is_finite(std::uint32_t largest_magnitude) { return largest_magnitude < 0x7f80'0000; }

}  // namespace troupe
