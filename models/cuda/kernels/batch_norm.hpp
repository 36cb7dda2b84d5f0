#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>

#include "models/devices/element.hpp"

// Batch-norm of [rows][channels] elements, where rows are samples x pixels, at least one. Elements, vectors and scratch
// start at multiples of 16 bytes; weights need no alignment. Sums use a fixed tree.
namespace troupe::cuda {

struct NormShape {
  std::int64_t rows;
  std::int64_t channels;
  Element element;
  bool relu;  ///< a ReLU follows
};

/// Vectors with one value per channel, on the device.
struct NormVectors {
  float* mean;  ///< from the forward pass, like the next three
  float* inverse_deviation;
  float* scale;  ///< output = scale * input + shift
  float* shift;
  float* by_input;  ///< from the backward pass, see norm_input_gradients
  float* constant;

  static std::size_t bytes(std::int64_t channels);
  /// @param memory `bytes(channels)` bytes that live from the forward to the backward pass
  NormVectors(void* memory, std::int64_t channels);
};

/// The layer's weights, one float per channel, or their gradients.
template <class Float>
struct NormWeights {
  Float* scale;
  Float* shift;
};

/// Returns the scratch bytes that norm_measure and norm_gradient_sums need.
std::size_t norm_scratch(const NormShape& shape);

/// Writes the batch's mean and deviation, scale and shift into the vectors. Also writes the contribution to the running
/// statistics, for whole groups of 16 channels: `samples` times the means of x - r and of (x - r)^2 for a running mean
/// r.
/// @param statistics, statistics_sums in the order of models/devices/statistics.hpp; padding channels get zeros
void norm_measure(cudaStream_t stream, const NormShape& shape, std::int64_t samples, const void* input,
                  const NormWeights<const float>& weights, const float* statistics, float* statistics_sums,
                  const NormVectors& vectors, void* scratch);

/// Writes the running mean and variance, scale and shift into the vectors.
void norm_recall(cudaStream_t stream, const NormShape& shape, const NormWeights<const float>& weights,
                 const float* statistics, const NormVectors& vectors);

/// Computes output = scale * input + shift (+ addend), then the ReLU. May work in place.
/// @param addend may be null
void norm_forward(cudaStream_t stream, const NormShape& shape, const void* input, const void* addend,
                  const NormVectors& vectors, void* output);

/// Adds `second_gradient`, if it is not null, to the output's gradient, and sets the sum to zero where the ReLU set its
/// output to zero, in place. From the sums of the result, computes the gradients of the weights, `by_input` and
/// `constant`.
/// @param output not read without a ReLU
/// @param training false: mean and deviation do not depend on the input
void norm_gradient_sums(cudaStream_t stream, const NormShape& shape, bool training, const void* input,
                        const void* output, const void* second_gradient, void* output_gradient,
                        const NormVectors& vectors, void* scratch, const NormWeights<float>& gradients);

/// Computes input_gradient = scale * output_gradient + by_input * (input - mean) + constant. May work in place.
void norm_input_gradients(cudaStream_t stream, const NormShape& shape, const void* input, const void* output_gradient,
                          const NormVectors& vectors, void* input_gradient);

}  // namespace troupe::cuda
