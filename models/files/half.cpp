#include "models/files/half.hpp"

#include <bit>

namespace troupe {

float from_half(std::uint16_t bits) {
  const std::uint32_t sign = (bits & 0x8000U) << 16;
  const std::uint32_t magnitude = bits & 0x7fffU;
  constexpr std::uint32_t kInfinity = 0x7c00;
  if (magnitude >= kInfinity) return std::bit_cast<float>(sign | 0x7f800000U | (magnitude & 0x3ffU) << 13);
  constexpr std::uint32_t kSmallestNormal = 0x400;
  const float subnormal = static_cast<float>(magnitude) * 0x1p-24F;
  const std::uint32_t value =
      magnitude < kSmallestNormal ? std::bit_cast<std::uint32_t>(subnormal) : (magnitude << 13) + ((127U - 15U) << 23);
  return std::bit_cast<float>(sign | value);
}

float from_bfloat16(std::uint16_t bits) { return std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16); }

}  // namespace troupe
