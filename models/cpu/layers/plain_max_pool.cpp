#include <algorithm>
#include <limits>
#include <vector>

#include "models/cpu/layer_kernels.hpp"
#include "runtime/simd.hpp"
#include "troupe/layers/max_pool.hpp"

namespace troupe::cpu {

namespace {

/// The shape of the input: `planes` planes, each with height x width pixels of `inner` channels. A plane is one block
/// of channels of one sample.
struct PoolShape {
  std::int64_t planes;
  std::int64_t height, width, inner;
  std::int64_t kernel;
  bool relu;

  std::int64_t out_height() const { return height / kernel; }
  std::int64_t out_width() const { return width / kernel; }
  std::int64_t out_size() const { return planes * out_height() * out_width() * inner; }
  std::int64_t row() const { return width * inner; }
  bool windows_cover_input() const { return height % kernel == 0 && width % kernel == 0; }
  /// Returns the smallest possible output: 0 with a ReLU, else -infinity.
  float floor() const { return relu ? 0.0F : -std::numeric_limits<float>::infinity(); }
};

/// The position of the maximum in its window, counted row by row from 0. kCut if the ReLU set the output to zero.
using Tap = std::int32_t;
constexpr Tap kCut = -1;

/// Calls visit(in, out) for each window and plane. `in` is the index of the window's first float in the input, and
/// `out` the index of its first float in the output.
template <class Visit>
[[gnu::always_inline]] inline void for_each_window(const PoolShape& shape, const Visit& visit) {
  std::int64_t out = 0;
  for (std::int64_t plane = 0; plane < shape.planes; ++plane)
    for (std::int64_t row = 0; row < shape.out_height(); ++row)
      for (std::int64_t column = 0; column < shape.out_width(); ++column, out += shape.inner)
        visit(((plane * shape.height + row * shape.kernel) * shape.width + column * shape.kernel) * shape.inner, out);
}

/// Calls visit(offset, tap) for each position in a window. `offset` is the distance in floats from the window's first
/// float, and `tap` the number of the position.
template <class Visit>
[[gnu::always_inline]] inline void for_each_tap(const PoolShape& shape, const Visit& visit) {
  Tap tap = 0;
  for (std::int64_t row = 0; row < shape.kernel; ++row)
    for (std::int64_t column = 0; column < shape.kernel; ++column)
      visit(row * shape.row() + column * shape.inner, tap++);
}

TROUPE_CLONES void forward_any(const PoolShape& shape, const float* __restrict input, float* __restrict output,
                               Tap* __restrict taps) {
  for_each_window(
      shape, [&](std::int64_t in, std::int64_t out) __attribute__((always_inline)) {
        std::fill_n(output + out, shape.inner, shape.floor());
        std::fill_n(taps + out, shape.inner, kCut);
        for_each_tap(
            shape, [&](std::int64_t offset, Tap tap) __attribute__((always_inline)) {
              for (std::int64_t i = 0; i < shape.inner; ++i) {
                const float value = input[in + offset + i];
                const float best = output[out + i];
                const Tap where = value <= best ? taps[out + i] : tap;
                const float larger = value <= best ? best : value;
                taps[out + i] = best == best ? where : taps[out + i];  // keeps a NaN, which is not equal to itself
                output[out + i] = best == best ? larger : best;
              }
            });
      });
}

TROUPE_CLONES void backward_any(const PoolShape& shape, const float* __restrict gradient, const Tap* __restrict taps,
                                float* __restrict input_gradient) {
  for_each_window(
      shape, [&](std::int64_t in, std::int64_t out) __attribute__((always_inline)) {
        for_each_tap(
            shape, [&](std::int64_t offset, Tap tap) __attribute__((always_inline)) {
              for (std::int64_t i = 0; i < shape.inner; ++i) {
                const float value = gradient[out + i];
                input_gradient[in + offset + i] = taps[out + i] == tap ? value : 0.0F;
              }
            });
      });
}

/// Returns the larger value, or NaN if either value is NaN.
[[gnu::always_inline]] inline float larger(float a, float b) {
  const float result = b <= a ? a : b;  // two selections, because g++ does not vectorise a single selection with "or"
  return a == a ? result : a;
}

// The most frequent case: windows of 2x2 pixels on blocks of kInner channels. The four positions of a window are
// compared in one loop over the channels. The loop has a constant number of iterations, so g++ turns it into vector
// instructions.
template <int kInner>
[[gnu::always_inline]] inline void maximum_2x2(const float* __restrict upper, const float* __restrict lower,
                                               float floor, float* __restrict output, Tap* __restrict taps) {
  for (int i = 0; i < kInner; ++i) {
    const float first = larger(upper[i], upper[kInner + i]);
    const float second = larger(lower[i], lower[kInner + i]);
    const float best = larger(floor, larger(first, second));
    Tap where = lower[i] == best ? 2 : 3;
    where = upper[kInner + i] == best ? 1 : where;
    where = upper[i] == best ? 0 : where;
    output[i] = best;
    taps[i] = best <= floor ? kCut : where;
  }
}

template <int kInner>
[[gnu::always_inline]] inline void spread_2x2(const float* __restrict gradient, const Tap* __restrict taps,
                                              float* __restrict upper, float* __restrict lower) {
#pragma GCC unroll 1  // g++ does not vectorise the eight iterations if it unrolls them
  for (int i = 0; i < kInner; ++i) {
    const float value = gradient[i];  // read unconditionally: not all processors have masked loads
    const Tap tap = taps[i];
    upper[i] = tap == 0 ? value : 0.0F;
    upper[kInner + i] = tap == 1 ? value : 0.0F;
    lower[i] = tap == 2 ? value : 0.0F;
    lower[kInner + i] = tap == 3 ? value : 0.0F;
  }
}

template <int kInner>
[[gnu::always_inline]] inline void forward_2x2(const PoolShape& shape, const float* input, float* output, Tap* taps) {
  const float floor = shape.floor();
  const std::int64_t row = shape.row();
  for_each_window(
      shape, [=](std::int64_t in, std::int64_t out) __attribute__((always_inline)) {
        maximum_2x2<kInner>(input + in, input + in + row, floor, output + out, taps + out);
      });
}

template <int kInner>
[[gnu::always_inline]] inline void backward_2x2(const PoolShape& shape, const float* gradient, const Tap* taps,
                                                float* input_gradient) {
  const std::int64_t row = shape.row();
  for_each_window(
      shape, [=](std::int64_t in, std::int64_t out) __attribute__((always_inline)) {
        spread_2x2<kInner>(gradient + out, taps + out, input_gradient + in, input_gradient + in + row);
      });
}

TROUPE_CLONES void forward_2x2_by_16(const PoolShape& shape, const float* input, float* output, Tap* taps) {
  forward_2x2<16>(shape, input, output, taps);
}
TROUPE_CLONES void forward_2x2_by_8(const PoolShape& shape, const float* input, float* output, Tap* taps) {
  forward_2x2<8>(shape, input, output, taps);
}
TROUPE_CLONES void backward_2x2_by_16(const PoolShape& shape, const float* gradient, const Tap* taps,
                                      float* input_gradient) {
  backward_2x2<16>(shape, gradient, taps, input_gradient);
}
TROUPE_CLONES void backward_2x2_by_8(const PoolShape& shape, const float* gradient, const Tap* taps,
                                     float* input_gradient) {
  backward_2x2<8>(shape, gradient, taps, input_gradient);
}

struct PoolKernels {
  void (*forward)(const PoolShape& shape, const float* input, float* output, Tap* taps);
  void (*backward)(const PoolShape& shape, const float* gradient, const Tap* taps, float* input_gradient);
};

PoolKernels kernels_for(const PoolShape& shape) {
  if (shape.kernel == 2 && shape.inner == 16) return {forward_2x2_by_16, backward_2x2_by_16};
  if (shape.kernel == 2 && shape.inner == 8) return {forward_2x2_by_8, backward_2x2_by_8};
  return {forward_any, backward_any};
}

class PlainMaxPool final : public Operation {
 public:
  explicit PlainMaxPool(const PoolShape& shape)
      : shape_(shape), kernels_(kernels_for(shape)), taps_(static_cast<std::size_t>(shape.out_size())) {}

  StageTraits traits() const override { return {}; }

  void forward(const ForwardOperands& at) override {
    kernels_.forward(shape_, static_cast<const float*>(at.input), static_cast<float*>(at.output), taps_.data());
  }

  void backward(const BackwardOperands& at) override {
    if (at.input_gradient == nullptr) return;
    auto* const input_gradient = static_cast<float*>(at.input_gradient);
    if (!shape_.windows_cover_input()) std::fill_n(input_gradient, shape_.planes * shape_.height * shape_.row(), 0.0F);
    kernels_.backward(shape_, static_cast<const float*>(at.output_gradient), taps_.data(), input_gradient);
  }

 private:
  PoolShape shape_;
  PoolKernels kernels_;
  std::vector<Tap> taps_;
};

}  // namespace

bool is_plain_max_pool(const PlacedLayer& layer) {
  const auto* const pool = dynamic_cast<const models::MaxPool*>(layer.planned.layer.get());
  return pool != nullptr && pool->window().is_plain() && layer.input.element == Element::f32;
}

std::unique_ptr<Operation> make_plain_max_pool(const PlacedLayer& layer, std::int64_t batch) {
  const Layout& input = layer.input;
  return std::make_unique<PlainMaxPool>(PoolShape{.planes = batch * input.channels / input.inner,
                                                  .height = input.height,
                                                  .width = input.width,
                                                  .inner = input.inner,
                                                  .kernel = spec_of<models::MaxPool>(layer).window().kernel,
                                                  .relu = layer.planned.relu});
}

}  // namespace troupe::cpu
