#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <span>

namespace troupe_test {

/// Returns whether both have the same length and bitwise identical elements.
template <class T>
bool same_bits(std::span<const T> left, std::span<const T> right) {
  return left.size() == right.size() &&
         (left.empty() || std::memcmp(left.data(), right.data(), left.size_bytes()) == 0);
}
inline bool same_bits(std::span<const float> left, std::span<const float> right) {
  return same_bits<float>(left, right);
}
inline bool same_bits(double left, double right) {
  return std::bit_cast<std::uint64_t>(left) == std::bit_cast<std::uint64_t>(right);
}

}  // namespace troupe_test
