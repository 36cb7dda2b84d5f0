#pragma once

#include <cstdint>

#include "models/cpu/layout.hpp"

namespace troupe::cpu {

/// The view of a batch for batch-norm: runs of `pixels` x `inner` values, one per sample and block of `inner` channels.
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
  /// Returns the start of the run of a sample and block.
  std::int64_t start(std::int64_t sample, std::int64_t block) const { return (sample * blocks + block) * run(); }
  double values() const { return static_cast<double>(samples * pixels); }
};

/// Computes mean and biased variance of the block's `inner` channels.
void channel_moments(const NormShape& shape, std::int64_t block, const void* input, double* mean, double* variance);

/// Computes output = scale * input + shift (+ addend), then the ReLU, per channel of the block.
void scale_and_shift(const NormShape& shape, std::int64_t block, const void* input, const void* addend,
                     const float* scale, const float* shift, void* output);

/// Adds `second_gradient`, if it is not null, to the output's gradient, and sets the sum to zero where the ReLU set its
/// output to zero. Sums up the result, and its product with input - mean.
void gradient_sums(const NormShape& shape, std::int64_t block, const void* input, const void* output,
                   const void* second_gradient, const float* mean, void* output_gradient, double* sum,
                   double* product_sum);

/// Computes input_gradient = by_gradient * output_gradient + by_input * (input - mean) + constant. May work in place.
void input_gradients(const NormShape& shape, std::int64_t block, const void* input, const void* output_gradient,
                     const float* mean, const float* by_gradient, const float* by_input, const float* constant,
                     void* input_gradient);

}  // namespace troupe::cpu
