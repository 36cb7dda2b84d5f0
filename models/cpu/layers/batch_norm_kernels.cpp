#include "models/cpu/layers/batch_norm_kernels.hpp"

#include <algorithm>

#include "runtime/simd.hpp"

// The 8 or 16 channels of a block are adjacent in memory. Loops over the channels of a pixel have a constant number of
// iterations, so that g++ turns each loop into one vector instruction. The values of up to 128 pixels are added in
// floats, and these sums are added in doubles. The order of additions is fixed, so the results are bitwise
// reproducible.
namespace troupe::cpu {

namespace {

constexpr std::int64_t kPixelsOfFloats = 128;
constexpr int kMostInner = 16;
/// The number of independent sums. The processor can start the additions of the other sums before one addition has
/// ended.
constexpr int kChains = 4;

template <int kInner>
using Floats = typename Pixel<kInner>::Floats;

/// Calls term(pixel, values) for each pixel of a run. `term` sets `values`, one for each of the kInner channels. Adds
/// the values of all pixels to `total`, for each channel separately.
template <int kInner, class Term>
[[gnu::always_inline]] inline void sum_pixels(std::int64_t pixels, double* total, const Term& term) {
  for (std::int64_t first = 0; first < pixels; first += kPixelsOfFloats) {
    const std::int64_t last = std::min(pixels, first + kPixelsOfFloats);
    Floats<kInner> sums[kChains] = {};
    Floats<kInner> values;
    std::int64_t pixel = first;
    for (; pixel + kChains <= last; pixel += kChains)
      for (int chain = 0; chain < kChains; ++chain) {
        term(pixel + chain, values);
        sums[chain] += values;
      }
    for (; pixel < last; ++pixel) {
      term(pixel, values);
      sums[0] += values;
    }
    const Floats<kInner> sum = (sums[0] + sums[1]) + (sums[2] + sums[3]);
    for (int i = 0; i < kInner; ++i) total[i] += sum[i];
  }
}

template <int kInner, class T>
[[gnu::always_inline]] inline void moments(const NormShape& shape, std::int64_t block, const T* input, double* mean,
                                           double* variance) {
  double sums[kInner] = {};
  for (std::int64_t sample = 0; sample < shape.samples; ++sample) {
    const T* const run = input + shape.start(sample, block);
    const auto value = [=](std::int64_t pixel, Floats<kInner> & x) __attribute__((always_inline)) {
      load<kInner>(run + pixel * kInner, x);
    };
    sum_pixels<kInner>(shape.pixels, sums, value);
  }
  Floats<kInner> center = {};
  for (int i = 0; i < kInner; ++i) {
    mean[i] = sums[i] / shape.values();
    center[i] = static_cast<float>(mean[i]);
  }
  double squares[kInner] = {};
  for (std::int64_t sample = 0; sample < shape.samples; ++sample) {
    const T* const run = input + shape.start(sample, block);
    const auto square = [&](std::int64_t pixel, Floats<kInner> & x) __attribute__((always_inline)) {
      load<kInner>(run + pixel * kInner, x);
      x = (x - center) * (x - center);
    };
    sum_pixels<kInner>(shape.pixels, squares, square);
  }
  for (int i = 0; i < kInner; ++i) variance[i] = squares[i] / shape.values();
}

template <int kInner, bool kAdd, bool kRelu, class T>
[[gnu::always_inline]] inline void normalise_run(std::int64_t pixels, const T* __restrict input,
                                                 const T* __restrict addend, const float* scale, const float* shift,
                                                 T* __restrict output) {
  const Floats<kInner> zero = {};
  Floats<kInner> a;
  Floats<kInner> b;
  load<kInner>(scale, a);
  load<kInner>(shift, b);
  for (std::int64_t at = 0; at < pixels * kInner; at += kInner) {
    Floats<kInner> x;
    Floats<kInner> more;
    load<kInner>(input + at, x);
    x = x * a + b;
    if (kAdd) {
      load<kInner>(addend + at, more);
      x += more;
    }
    if (kRelu) x = x < zero ? zero : x;
    store<kInner>(x, output + at);
  }
}

template <int kInner, bool kAdd, bool kRelu, class T>
[[gnu::always_inline]] inline void normalise_block(const NormShape& shape, std::int64_t block, const T* input,
                                                   const T* addend, const float* scale, const float* shift, T* output) {
  for (std::int64_t sample = 0; sample < shape.samples; ++sample) {
    const std::int64_t start = shape.start(sample, block);
    normalise_run<kInner, kAdd, kRelu>(shape.pixels, input + start, kAdd ? addend + start : nullptr, scale, shift,
                                       output + start);
  }
}

template <int kInner, class T>
[[gnu::always_inline]] inline void normalise(const NormShape& shape, std::int64_t block, const T* input,
                                             const T* addend, const float* scale, const float* shift, T* output) {
  if (addend != nullptr && shape.relu)
    return normalise_block<kInner, true, true>(shape, block, input, addend, scale, shift, output);
  if (addend != nullptr) return normalise_block<kInner, true, false>(shape, block, input, addend, scale, shift, output);
  if (shape.relu) return normalise_block<kInner, false, true>(shape, block, input, addend, scale, shift, output);
  normalise_block<kInner, false, false>(shape, block, input, addend, scale, shift, output);
}

/// Changes `gradient`, the gradient with respect to the output of the layer, to the gradient with respect to the value
/// before the ReLU. For this, adds `second`, a second gradient of the output, and then sets elements to zero where the
/// ReLU set `output` to zero.
template <int kInner, bool kSecond, bool kRelu, class T>
[[gnu::always_inline]] inline void gather_run(std::int64_t pixels, const T* __restrict output,
                                              const T* __restrict second, T* __restrict gradient) {
  const Floats<kInner> zero = {};
  for (std::int64_t at = 0; at < pixels * kInner; at += kInner) {
    Floats<kInner> dz;
    Floats<kInner> other;
    load<kInner>(gradient + at, dz);
    if (kSecond) {
      load<kInner>(second + at, other);
      dz += other;
    }
    if (kRelu) {
      load<kInner>(output + at, other);
      dz = other > zero ? dz : zero;
    }
    store<kInner>(dz, gradient + at);
  }
}

/// The number of pixels for which `gather_run` computes gradients before they are added up. The gradients of this many
/// pixels fit into the first-level cache.
constexpr std::int64_t kPixelsOfTile = kPixelsOfFloats;

template <int kInner, bool kSecond, bool kRelu, class T>
[[gnu::always_inline]] inline void sums_of_block(const NormShape& shape, std::int64_t block, const T* input,
                                                 const T* output, const T* second, const float* mean, T* gradient,
                                                 double* sum, double* product_sum) {
  Floats<kInner> center;
  load<kInner>(mean, center);
  for (std::int64_t sample = 0; sample < shape.samples; ++sample)
    for (std::int64_t pixel = 0; pixel < shape.pixels; pixel += kPixelsOfTile) {
      const std::int64_t start = shape.start(sample, block) + pixel * kInner;
      const std::int64_t pixels = std::min(kPixelsOfTile, shape.pixels - pixel);
      const T* const x = input + start;
      T* const dz = gradient + start;
      if (kSecond || kRelu)
        gather_run<kInner, kSecond, kRelu>(pixels, kRelu ? output + start : nullptr, kSecond ? second + start : nullptr,
                                           dz);
      const auto value = [=](std::int64_t p, Floats<kInner> & values) __attribute__((always_inline)) {
        load<kInner>(dz + p * kInner, values);
      };
      const auto product = [&](std::int64_t p, Floats<kInner> & values) __attribute__((always_inline)) {
        Floats<kInner> distance;
        load<kInner>(dz + p * kInner, values);
        load<kInner>(x + p * kInner, distance);
        values *= distance - center;
      };
      sum_pixels<kInner>(pixels, sum, value);
      sum_pixels<kInner>(pixels, product_sum, product);
    }
}

template <int kInner, class T>
[[gnu::always_inline]] inline void sums(const NormShape& shape, std::int64_t block, const T* input, const T* output,
                                        const T* second, const float* mean, T* gradient, double* sum,
                                        double* product_sum) {
  if (second != nullptr && shape.relu)
    return sums_of_block<kInner, true, true>(shape, block, input, output, second, mean, gradient, sum, product_sum);
  if (second != nullptr)
    return sums_of_block<kInner, true, false>(shape, block, input, output, second, mean, gradient, sum, product_sum);
  if (shape.relu)
    return sums_of_block<kInner, false, true>(shape, block, input, output, second, mean, gradient, sum, product_sum);
  sums_of_block<kInner, false, false>(shape, block, input, output, second, mean, gradient, sum, product_sum);
}

/// The factors of `input_gradients`, one for each channel of a block.
struct GradientFactors {
  float mean[kMostInner];
  float by_gradient[kMostInner];
  float by_input[kMostInner];
  float constant[kMostInner];
};

template <int kInner, class T>
[[gnu::always_inline]] inline void spread(const NormShape& shape, std::int64_t block, const T* input, const T* gradient,
                                          const GradientFactors& factors, T* input_gradient) {
  Floats<kInner> mean;
  Floats<kInner> by_gradient;
  Floats<kInner> by_input;
  Floats<kInner> constant;
  load<kInner>(factors.mean, mean);
  load<kInner>(factors.by_gradient, by_gradient);
  load<kInner>(factors.by_input, by_input);
  load<kInner>(factors.constant, constant);
  for (std::int64_t sample = 0; sample < shape.samples; ++sample) {
    const std::int64_t start = shape.start(sample, block);
    for (std::int64_t at = start; at < start + shape.run(); at += kInner) {
      Floats<kInner> dz;
      Floats<kInner> x;
      load<kInner>(gradient + at, dz);
      load<kInner>(input + at, x);
      store<kInner>(by_gradient * dz + by_input * (x - mean) + constant, input_gradient + at);
    }
  }
}

// For one element type and one number of channels in a block, defines all functions. They are compiled for several
// instruction sets.
// NOLINTBEGIN(bugprone-macro-parentheses)
#define TROUPE_NORM_KERNELS(T, kInner, SUFFIX)                                                                        \
  TROUPE_CLONES void moments_##SUFFIX(const NormShape& shape, std::int64_t block, const void* input, double* mean,    \
                                      double* variance) {                                                             \
    moments<kInner>(shape, block, static_cast<const T*>(input), mean, variance);                                      \
  }                                                                                                                   \
  TROUPE_CLONES void normalise_##SUFFIX(const NormShape& shape, std::int64_t block, const void* input,                \
                                        const void* addend, const float* scale, const float* shift, void* output) {   \
    normalise<kInner>(shape, block, static_cast<const T*>(input), static_cast<const T*>(addend), scale, shift,        \
                      static_cast<T*>(output));                                                                       \
  }                                                                                                                   \
  TROUPE_CLONES void sums_##SUFFIX(const NormShape& shape, std::int64_t block, const void* input, const void* output, \
                                   const void* second, const float* mean, void* gradient, double* sum,                \
                                   double* product_sum) {                                                             \
    sums<kInner>(shape, block, static_cast<const T*>(input), static_cast<const T*>(output),                           \
                 static_cast<const T*>(second), mean, static_cast<T*>(gradient), sum, product_sum);                   \
  }                                                                                                                   \
  TROUPE_CLONES void spread_##SUFFIX(const NormShape& shape, std::int64_t block, const void* input,                   \
                                     const void* gradient, const GradientFactors& factors, void* input_gradient) {    \
    spread<kInner>(shape, block, static_cast<const T*>(input), static_cast<const T*>(gradient), factors,              \
                   static_cast<T*>(input_gradient));                                                                  \
  }

TROUPE_NORM_KERNELS(float, 16, f32_by_16)
TROUPE_NORM_KERNELS(float, 8, f32_by_8)
TROUPE_NORM_KERNELS(Bfloat16, 16, bf16_by_16)
TROUPE_NORM_KERNELS(Bfloat16, 8, bf16_by_8)
#undef TROUPE_NORM_KERNELS
// NOLINTEND(bugprone-macro-parentheses)

struct NormKernels {
  decltype(&moments_f32_by_16) moments;
  decltype(&normalise_f32_by_16) normalise;
  decltype(&sums_f32_by_16) sums;
  decltype(&spread_f32_by_16) spread;
};

NormKernels kernels_for(const NormShape& shape) {
  if (shape.element == Element::f32)
    return shape.inner == 16 ? NormKernels{moments_f32_by_16, normalise_f32_by_16, sums_f32_by_16, spread_f32_by_16}
                             : NormKernels{moments_f32_by_8, normalise_f32_by_8, sums_f32_by_8, spread_f32_by_8};
  return shape.inner == 16 ? NormKernels{moments_bf16_by_16, normalise_bf16_by_16, sums_bf16_by_16, spread_bf16_by_16}
                           : NormKernels{moments_bf16_by_8, normalise_bf16_by_8, sums_bf16_by_8, spread_bf16_by_8};
}

}  // namespace

void channel_moments(const NormShape& shape, std::int64_t block, const void* input, double* mean, double* variance) {
  kernels_for(shape).moments(shape, block, input, mean, variance);
}

void scale_and_shift(const NormShape& shape, std::int64_t block, const void* input, const void* addend,
                     const float* scale, const float* shift, void* output) {
  kernels_for(shape).normalise(shape, block, input, addend, scale, shift, output);
}

void gradient_sums(const NormShape& shape, std::int64_t block, const void* input, const void* output,
                   const void* second_gradient, const float* mean, void* output_gradient, double* sum,
                   double* product_sum) {
  kernels_for(shape).sums(shape, block, input, output, second_gradient, mean, output_gradient, sum, product_sum);
}

void input_gradients(const NormShape& shape, std::int64_t block, const void* input, const void* output_gradient,
                     const float* mean, const float* by_gradient, const float* by_input, const float* constant,
                     void* input_gradient) {
  GradientFactors factors{};
  const auto inner = static_cast<std::size_t>(shape.inner);
  std::copy_n(mean, inner, factors.mean);
  std::copy_n(by_gradient, inner, factors.by_gradient);
  std::copy_n(by_input, inner, factors.by_input);
  std::copy_n(constant, inner, factors.constant);
  kernels_for(shape).spread(shape, block, input, output_gradient, factors, input_gradient);
}

}  // namespace troupe::cpu
