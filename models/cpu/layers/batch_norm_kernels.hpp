#pragma once

#include <cstdint>

#include "models/cpu/layout.hpp"

namespace troupe::cpu {

/// The shape of a batch for batch-norm. For each sample and each block of `inner` channels there is a run of `pixels` x
/// `inner` values.
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
  /// Returns the index of the first value in the run of a sample and block.
  std::int64_t start(std::int64_t sample, std::int64_t block) const { return (sample * blocks + block) * run(); }
  double values() const { return static_cast<double>(samples * pixels); }
};

/// Writes mean and biased variance of each of the block's `inner` channels over the batch.
void channel_moments(const NormShape& shape, std::int64_t block, const void* input, double* mean, double* variance);

/// Computes output = scale * input + shift for each channel of the block. Adds `addend` if it is not null, and then
/// applies the ReLU if `shape.relu` is true.
void scale_and_shift(const NormShape& shape, std::int64_t block, const void* input, const void* addend,
                     const float* scale, const float* shift, void* output);

/// Adds `second_gradient`, if it is not null, to the output's gradient, in place, and sets the result to zero where the
/// ReLU set the output to zero. For each channel of the block, writes the sum of the result to `sum`, and the sum of
/// the result times (input - mean) to `product_sum`.
void gradient_sums(const NormShape& shape, std::int64_t block, const void* input, const void* output,
                   const void* second_gradient, const float* mean, void* output_gradient, double* sum,
                   double* product_sum);

/// Computes input_gradient = by_gradient * output_gradient + by_input * (input - mean) + constant for the block.
/// `input_gradient` may be the same memory as `output_gradient`.
void input_gradients(const NormShape& shape, std::int64_t block, const void* input, const void* output_gradient,
                     const float* mean, const float* by_gradient, const float* by_input, const float* constant,
                     void* input_gradient);

}  // namespace troupe::cpu
