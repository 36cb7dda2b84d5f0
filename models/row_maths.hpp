#pragma once

#include <bit>
#include <cstdint>

#include "runtime/simd.hpp"

// Functions over rows of floats, for functions with TROUPE_CLONES. g++ turns loops of a constant number of iterations
// into vector instructions. The order of additions does not depend on the instruction set.
namespace troupe {

/// The number of independent sums of a row.
inline constexpr std::int64_t kLanes = 16;

/// Returns the sum of term(i) for i from 0 to count - 1.
template <class Term>
TROUPE_INLINE float sum_row(std::int64_t count, const Term& term) {
  float lanes[kLanes] = {};
  std::int64_t i = 0;
  for (; i + kLanes <= count; i += kLanes)
    for (std::int64_t lane = 0; lane < kLanes; ++lane) lanes[lane] += term(i + lane);
  for (std::int64_t lane = 0; i + lane < count; ++lane) lanes[lane] += term(i + lane);
  for (std::int64_t half = kLanes / 2; half > 0; half /= 2)
    for (std::int64_t lane = 0; lane < half; ++lane) lanes[lane] += lanes[lane + half];
  return lanes[0];
}

/// Returns the largest of `count` numbers, at least 1. Numbers that are NaN may be left out.
TROUPE_INLINE float max_row(const float* values, std::int64_t count) {
  float lanes[kLanes];
  for (float& lane : lanes) lane = values[0];
  std::int64_t i = 0;
  for (; i + kLanes <= count; i += kLanes)
    for (std::int64_t lane = 0; lane < kLanes; ++lane)
      lanes[lane] = lanes[lane] < values[i + lane] ? values[i + lane] : lanes[lane];
  for (; i < count; ++i) lanes[0] = lanes[0] < values[i] ? values[i] : lanes[0];
  float largest = lanes[0];
  for (const float lane : lanes) largest = largest < lane ? lane : largest;
  return largest;
}

/// Returns e^x with a relative error of about 1e-7: 2^n times a polynomial of the rest (Cephes, expf). The result is 0
/// below -87, and NaN for NaN.
/// @param x at most 88
TROUPE_INLINE float exp_of(float x) {
  constexpr float kLog2e = 1.44269504F;
  constexpr float kLn2High = 0.693359375F;
  constexpr float kLn2Low = -2.12194440e-4F;
  constexpr float kRound = 12582912.0F;  // 1.5 * 2^23: adding it rounds to an integer
  const bool tiny = x < -87;
  const float bounded = tiny ? -87 : x;
  const float shifted = bounded * kLog2e + kRound;
  const float n = shifted - kRound;
  const float rest = (bounded - n * kLn2High) - n * kLn2Low;
  float sum = 1.9875691500e-4F;
  sum = sum * rest + 1.3981999507e-3F;
  sum = sum * rest + 8.3334519073e-3F;
  sum = sum * rest + 4.1665795894e-2F;
  sum = sum * rest + 1.6666665459e-1F;
  sum = sum * rest + 5.0000001201e-1F;
  sum = sum * rest * rest + rest + 1;
  const std::int32_t exponent = std::bit_cast<std::int32_t>(shifted) - std::bit_cast<std::int32_t>(kRound);
  const float power = std::bit_cast<float>((exponent + 127) << 23);
  return tiny ? 0 : sum * power;
}

/// Returns 1 / (1 + e^-x).
TROUPE_INLINE float sigmoid_of(float x) {
  const float bounded = x < -87 ? -87 : x;
  return 1 / (1 + exp_of(-bounded));
}

}  // namespace troupe
