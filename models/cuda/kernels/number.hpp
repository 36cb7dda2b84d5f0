#pragma once

#include <cuda_bf16.h>

#include "models/cuda/kernels/launch.hpp"

namespace troupe::cuda {

TROUPE_HOST_DEVICE inline float to_float(float value) { return value; }
TROUPE_HOST_DEVICE inline float to_float(__nv_bfloat16 value) { return __bfloat162float(value); }

TROUPE_HOST_DEVICE inline void store(float value, float& to) { to = value; }
/// Stores `value` rounded to the nearest bfloat16, ties to even.
TROUPE_HOST_DEVICE inline void store(float value, __nv_bfloat16& to) { to = __float2bfloat16_rn(value); }

/// Returns the ReLU of `value`: 0 for negative values, otherwise `value`. A NaN remains a NaN.
TROUPE_HOST_DEVICE inline float cut(float value) { return value < 0 ? 0.0F : value; }

/// The number of bytes that a thread loads or stores at once: a pack.
inline constexpr std::size_t kPackBytes = 16;
/// The number of values of type T in a pack.
template <class T>
inline constexpr int kPackSize = static_cast<int>(kPackBytes / sizeof(T));

/// A pack in memory: adjacent values that are loaded and stored at once.
template <class T, int kCount>
struct alignas(sizeof(T) * kCount < kPackBytes ? sizeof(T) * kCount : kPackBytes) Pack {
  T values[kCount];
};

/// The values of a pack as floats, in registers.
template <int kCount>
struct Floats {
  float values[kCount];

  TROUPE_HOST_DEVICE float& operator[](int i) { return values[i]; }
  TROUPE_HOST_DEVICE float operator[](int i) const { return values[i]; }
};

/// Loads kCount adjacent values from `from`, and returns them as floats.
/// @pre `from` has the alignment of Pack<T, kCount>.
template <int kCount, class T>
TROUPE_HOST_DEVICE inline Floats<kCount> load(const T* from) {
  const Pack<T, kCount> pack = *reinterpret_cast<const Pack<T, kCount>*>(from);
  Floats<kCount> floats;
  for (int i = 0; i < kCount; ++i) floats[i] = to_float(pack.values[i]);
  return floats;
}

template <int kCount, class T>
TROUPE_HOST_DEVICE inline void store(const Floats<kCount>& floats, T* to) {
  Pack<T, kCount> pack;
  for (int i = 0; i < kCount; ++i) store(floats[i], pack.values[i]);
  *reinterpret_cast<Pack<T, kCount>*>(to) = pack;
}

/// Returns `value` rounded to the type T, as a float.
template <class T>
TROUPE_HOST_DEVICE inline float rounded(float value) {
  T stored;
  store(value, stored);
  return to_float(stored);
}

}  // namespace troupe::cuda
