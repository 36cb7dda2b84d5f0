#include "models/cpu/elementwise.hpp"

#include <algorithm>

#include "runtime/simd.hpp"

namespace troupe::cpu {

namespace {

template <class T>
[[gnu::always_inline]] inline void cut(T* values, std::int64_t count) {
  for (std::int64_t i = 0; i < count; ++i) {
    const float value = to_float(values[i]);
    store(value < 0 ? 0.0F : value, values[i]);
  }
}

template <class T>
[[gnu::always_inline]] inline std::int32_t count_nans(const T* values, std::int64_t count) {
  std::int32_t nans = 0;
  for (std::int64_t i = 0; i < count; ++i) {
    const float value = to_float(values[i]);
    nans += value == value ? 0 : 1;
  }
  return nans;
}

template <class T>
[[gnu::always_inline]] inline void mask(const T* __restrict output, T* __restrict gradient, std::int64_t count) {
  for (std::int64_t i = 0; i < count; ++i) gradient[i] = to_float(output[i]) > 0 ? gradient[i] : T{};
}

template <class T>
[[gnu::always_inline]] inline void add(const T* __restrict from, T* __restrict to, std::int64_t count) {
  for (std::int64_t i = 0; i < count; ++i) store(to_float(to[i]) + to_float(from[i]), to[i]);
}

template <class From, class To>
[[gnu::always_inline]] inline void convert(const From* __restrict from, To* __restrict to, std::int64_t count) {
  for (std::int64_t i = 0; i < count; ++i) store(to_float(from[i]), to[i]);
}

TROUPE_CLONES void cut_f32(float* values, std::int64_t count) { cut(values, count); }
TROUPE_CLONES void cut_bf16(Bfloat16* values, std::int64_t count) { cut(values, count); }
TROUPE_CLONES std::int32_t nans_f32(const float* values, std::int64_t count) { return count_nans(values, count); }
TROUPE_CLONES std::int32_t nans_bf16(const Bfloat16* values, std::int64_t count) { return count_nans(values, count); }
TROUPE_CLONES void mask_f32(const float* output, float* gradient, std::int64_t count) { mask(output, gradient, count); }
TROUPE_CLONES void mask_bf16(const Bfloat16* output, Bfloat16* gradient, std::int64_t count) {
  mask(output, gradient, count);
}
TROUPE_CLONES void add_f32(const float* from, float* to, std::int64_t count) { add(from, to, count); }
TROUPE_CLONES void add_bf16(const Bfloat16* from, Bfloat16* to, std::int64_t count) { add(from, to, count); }
TROUPE_CLONES void narrow(const float* from, Bfloat16* to, std::int64_t count) { convert(from, to, count); }
TROUPE_CLONES void widen(const Bfloat16* from, float* to, std::int64_t count) { convert(from, to, count); }

template <class T>
T* as(void* values) {
  return static_cast<T*>(values);
}
template <class T>
const T* as(const void* values) {
  return static_cast<const T*>(values);
}

}  // namespace

void relu_forward(void* values, const Layout& layout, std::int64_t batch) {
  const std::int64_t count = batch * layout.size();
  if (layout.element == Element::f32) return cut_f32(as<float>(values), count);
  cut_bf16(as<Bfloat16>(values), count);
}

void relu_backward(const void* output, void* gradient, const Layout& layout, std::int64_t batch) {
  const std::int64_t count = batch * layout.size();
  if (layout.element == Element::f32) return mask_f32(as<float>(output), as<float>(gradient), count);
  mask_bf16(as<Bfloat16>(output), as<Bfloat16>(gradient), count);
}

bool has_nan(const void* values, const Layout& layout, std::int64_t batch) {
  constexpr std::int64_t kPiece = std::int64_t{1} << 20;  // so that the number of NaNs in a piece fits into an int
  const std::int64_t count = batch * layout.size();
  for (std::int64_t at = 0; at < count; at += kPiece) {
    const std::int64_t piece = std::min(kPiece, count - at);
    if (layout.element == Element::f32 ? nans_f32(as<float>(values) + at, piece) > 0
                                       : nans_bf16(as<Bfloat16>(values) + at, piece) > 0)
      return true;
  }
  return false;
}

void accumulate(const void* from, void* to, const Layout& layout, std::int64_t batch) {
  const std::int64_t count = batch * layout.size();
  if (layout.element == Element::f32) return accumulate(as<float>(from), as<float>(to), count);
  add_bf16(as<Bfloat16>(from), as<Bfloat16>(to), count);
}

void accumulate(const float* from, float* to, std::int64_t count) { add_f32(from, to, count); }

void from_floats(const float* values, void* to, const Layout& layout, std::int64_t batch) {
  const std::int64_t count = batch * layout.size();
  if (layout.element == Element::f32) {
    std::copy_n(values, count, as<float>(to));
  } else {
    narrow(values, as<Bfloat16>(to), count);
  }
}

void to_floats(const void* values, float* to, const Layout& layout, std::int64_t batch) {
  const std::int64_t count = batch * layout.size();
  if (layout.element == Element::f32) {
    std::copy_n(as<float>(values), count, to);
  } else {
    widen(as<Bfloat16>(values), to, count);
  }
}

}  // namespace troupe::cpu
