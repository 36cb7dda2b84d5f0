#pragma once

#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>

namespace troupe::cuda_double {

/// The number types that Troupe stores on a device.
enum class Element : std::uint8_t { f32, bf16 };

inline std::size_t size_of(Element element) { return element == Element::f32 ? 4 : 2; }

/// Rounds to the nearest bfloat16, ties to even, in one rounding. A conversion by way of float would round twice.
inline std::uint16_t to_bf16(double value) {
  if (std::isnan(value)) return 0x7FFF;
  auto single = static_cast<float>(value);
  if (static_cast<double>(single) != value) {
    if (std::abs(static_cast<double>(single)) > std::abs(value)) single = std::nextafter(single, 0.0F);
    // A set last bit, which bfloat16 lacks, marks an inexact float.
    single = std::bit_cast<float>(std::bit_cast<std::uint32_t>(single) | 1U);
  }
  const auto bits = std::bit_cast<std::uint32_t>(single);
  return static_cast<std::uint16_t>((bits + 0x7FFFU + ((bits >> 16) & 1U)) >> 16);
}

inline double from_bf16(std::uint16_t bits) { return std::bit_cast<float>(std::uint32_t{bits} << 16); }

inline double load(Element element, const void* values, std::int64_t at) {
  if (element == Element::f32) return static_cast<const float*>(values)[at];
  return from_bf16(static_cast<const std::uint16_t*>(values)[at]);
}

inline void store(Element element, void* values, std::int64_t at, double value) {
  if (element == Element::f32)
    static_cast<float*>(values)[at] = static_cast<float>(value);
  else
    static_cast<std::uint16_t*>(values)[at] = to_bf16(value);
}

/// Rounds to the ten mantissa bits of TF32.
inline double to_tf32(double value) {
  const auto bits = std::bit_cast<std::uint32_t>(static_cast<float>(value));
  return std::isfinite(value) ? std::bit_cast<float>((bits + 0x1000U) & ~0x1FFFU) : value;
}

}  // namespace troupe::cuda_double
