#pragma once

#include <cstdint>

#include "models/cpu/layout.hpp"

namespace troupe::cpu {

/// The shape of a batch for batch-norm. Each sample consists of `blocks` blocks of `inner` channels. In each block of a
/// sample, `pixels` x `inner` values lie one after the other; they are called a run.
struct NormShape {
  std::int64_t samples;
  std::int64_t blocks;
  std::int64_t pixels;
  std::int64_t inner;
  Element element;
  bool relu;

  NormShape(const Layout& layout, std::int64_t batch, bool with_relu)
      : samples(batch),
        blocks(layout.channels / layout.inner),
        pixels(layout.pixels()),
        inner(layout.inner),
        element(layout.element),
        relu(with_relu) {}

  std::int64_t run() const { return pixels * inner; }
  /// Returns the index of the first value in the run of sample `sample` and block `block`.
  std::int64_t start(std::int64_t sample, std::int64_t block) const { return (sample * blocks + block) * run(); }
  double values() const { return static_cast<double>(samples * pixels); }
};

/// Writes mean and biased variance over the batch of each channel of block `block`: `inner` values each.
void channel_moments(const NormShape& shape, std::int64_t block, const void* input, double* mean, double* variance);

/// Computes output = scale * input + shift for each channel of block `block`. Then adds `addend`, if it is not null,
/// and applies the ReLU if `shape.relu` is true.
void scale_and_shift(const NormShape& shape, std::int64_t block, const void* input, const void* addend,
                     const float* scale, const float* shift, void* output);

/// Changes `output_gradient` to the gradient before the ReLU. For this, adds `second_gradient`, if it is not null, and
/// then sets elements to zero where the ReLU set `output` to zero. For each channel of block `block`, writes the sum of
/// the changed gradient to `sum`, and the sum of the changed gradient times (input - mean) to `product_sum`.
void gradient_sums(const NormShape& shape, std::int64_t block, const void* input, const void* output,
                   const void* second_gradient, const float* mean, void* output_gradient, double* sum,
                   double* product_sum);

/// Computes input_gradient = by_gradient * output_gradient + by_input * (input - mean) + constant for each channel of
/// block `block`. `input_gradient` may be the same memory as `output_gradient`.
void input_gradients(const NormShape& shape, std::int64_t block, const void* input, const void* output_gradient,
                     const float* mean, const float* by_gradient, const float* by_input, const float* constant,
                     void* input_gradient);

}  // namespace troupe::cpu
