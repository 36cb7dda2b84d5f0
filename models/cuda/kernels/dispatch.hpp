#pragma once

#include <cstdint>

#include "models/cuda/kernels/number.hpp"
#include "models/devices/element.hpp"

namespace troupe::cuda {

/// A tag type: the type T of elements on the device, and the number kCount of adjacent elements that a kernel loads and
/// stores at once.
template <class T, int kCount>
struct Elements {
  using Type = T;
  static constexpr int kPack = kCount;
};

/// Calls run(Elements<T, n>{}), where T is the type for `element`, and n is the number of elements in a pack.
template <class Run>
void with_element(Element element, const Run& run) {
  if (element == Element::f32) return run(Elements<float, kPackSize<float>>{});
  run(Elements<__nv_bfloat16, kPackSize<__nv_bfloat16>>{});
}

/// Calls run(Elements<T, n>{}), where T is the type for `element`. n is the number of elements in a pack if `channels`
/// is a multiple of this number, else 1.
template <class Run>
void with_packs(Element element, std::int64_t channels, const Run& run) {
  with_element(element, [&](auto elements) {
    using T = typename decltype(elements)::Type;
    if (channels % kPackSize<T> == 0) return run(elements);
    run(Elements<T, 1>{});
  });
}

struct Divided {
  std::size_t quotient;
  std::uint32_t remainder;
};

/// Returns quotient and remainder of a division. Uses a 32-bit division if the dividend fits into 32 bits, because a
/// 64-bit division takes several times as long on a GPU.
TROUPE_HOST_DEVICE inline Divided divide(std::size_t dividend, std::uint32_t divisor) {
  if (dividend <= 0xFFFFFFFFU) {
    const auto narrow = static_cast<std::uint32_t>(dividend);
    const std::uint32_t quotient = narrow / divisor;
    return {quotient, narrow - quotient * divisor};
  }
  const std::size_t quotient = dividend / divisor;
  return {quotient, static_cast<std::uint32_t>(dividend - quotient * divisor)};
}

inline std::size_t divide_up(std::size_t dividend, std::size_t divisor) { return (dividend + divisor - 1) / divisor; }

}  // namespace troupe::cuda
