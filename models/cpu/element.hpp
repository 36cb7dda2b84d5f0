#pragma once

#include <bit>
#include <cstdint>
#include <cstring>

#include "models/devices/element.hpp"

namespace troupe::cpu {

/// A bfloat16 number: the upper 16 bits of a float.
struct Bfloat16 {
  std::uint16_t bits = 0;
};

[[gnu::always_inline]] inline float to_float(float value) { return value; }
[[gnu::always_inline]] inline float to_float(Bfloat16 value) {
  return std::bit_cast<float>(static_cast<std::uint32_t>(value.bits) << 16);
}

[[gnu::always_inline]] inline void store(float value, float& to) { to = value; }
/// Stores `value` rounded to the nearest bfloat16, ties to even, like the hardware. A NaN remains a NaN.
[[gnu::always_inline]] inline void store(float value, Bfloat16& to) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  const std::uint32_t rounded = bits + 0x7FFF + ((bits >> 16) & 1);
  const std::uint32_t infinity = 0x7F800000;
  const std::uint32_t quiet_nan = 0x7FC00000;
  to.bits = static_cast<std::uint16_t>(((bits & 0x7FFFFFFF) > infinity ? quiet_nan : rounded) >> 16);
}

/// A vector type for `kCount` adjacent channels of a pixel.
template <int kCount>
struct Pixel {
  using Floats [[gnu::vector_size(4 * kCount)]] = float;
  using Words [[gnu::vector_size(4 * kCount)]] = std::uint32_t;
  using Halves [[gnu::vector_size(2 * kCount)]] = std::uint16_t;
};

template <int kCount>
[[gnu::always_inline]] inline void load(const float* from, typename Pixel<kCount>::Floats& to) {
  std::memcpy(&to, from, sizeof(to));
}
template <int kCount>
[[gnu::always_inline]] inline void load(const Bfloat16* from, typename Pixel<kCount>::Floats& to) {
  using Words = typename Pixel<kCount>::Words;
  typename Pixel<kCount>::Halves halves;
  std::memcpy(&halves, from, sizeof(halves));
  const Words words = __builtin_convertvector(halves, Words) << 16;
  std::memcpy(&to, &words, sizeof(to));
}

template <int kCount>
[[gnu::always_inline]] inline void store(const typename Pixel<kCount>::Floats& from, float* to) {
  std::memcpy(to, &from, sizeof(from));
}
/// Changes each float in `bits` so that its upper 16 bits are the bfloat16 number nearest to the float.
template <int kCount>
[[gnu::always_inline]] inline void round_to_bf16(typename Pixel<kCount>::Words& bits) {
  const typename Pixel<kCount>::Words quiet_nan = (bits & 0) + 0x7FC00000;
  bits = ((bits & 0x7FFFFFFF) > 0x7F800000) ? quiet_nan : bits + 0x7FFF + ((bits >> 16) & 1);
}

template <int kCount>
[[gnu::always_inline]] inline void store(const typename Pixel<kCount>::Floats& from, Bfloat16* to) {
  typename Pixel<kCount>::Words bits;
  std::memcpy(&bits, &from, sizeof(bits));
  round_to_bf16<kCount>(bits);
  const auto halves = __builtin_convertvector(bits >> 16, typename Pixel<kCount>::Halves);
  std::memcpy(static_cast<void*>(to), &halves, sizeof(halves));
}

}  // namespace troupe::cpu
