#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>

#include "models/devices/element.hpp"

// Batch-norm of a matrix of [rows][channels] elements. The number of rows is samples x pixels, at least 1. Elements,
// vectors and scratch memory start at multiples of 16 bytes; weights need no alignment. The additions of a sum are
// ordered by a fixed tree (sum_tree.hpp), so results are bitwise reproducible.
namespace troupe::cuda {

struct NormShape {
  std::int64_t rows;
  std::int64_t channels;
  Element element;
  bool relu;  ///< true if a ReLU is applied to the output
};

/// Intermediate results of batch-norm, on the device. Each vector has one value for each channel.
struct NormVectors {
  float* mean;  ///< the forward pass writes mean, inverse_deviation, scale and shift
  float* inverse_deviation;
  float* scale;  ///< output = scale * input + shift
  float* shift;
  float* by_input;  ///< the backward pass writes by_input and constant; see norm_input_gradients
  float* constant;

  static std::size_t bytes(std::int64_t channels);
  /// Places the vectors in memory.
  /// @param memory `bytes(channels)` bytes, whose content must be kept from the forward to the backward pass
  NormVectors(void* memory, std::int64_t channels);
};

/// The weights of a batch-norm layer, or the gradients of these weights: one float for each channel.
template <class Float>
struct NormWeights {
  Float* scale;
  Float* shift;
};

/// Returns the size in bytes of the scratch memory that norm_measure and norm_gradient_sums need.
std::size_t norm_scratch(const NormShape& shape);

/// Computes mean, inverse deviation, scale and shift of each channel from the batch, and writes them to `vectors`. Also
/// writes the sums from which running statistics are updated to `statistics_sums`. For a channel with running mean r,
/// these are `samples` times the mean of (x - r), and `samples` times the mean of (x - r)^2.
/// @param statistics the running statistics, in the order of models/devices/statistics.hpp
/// @param statistics_sums in the same order, for whole groups of 16 channels; padding channels get zeros
void norm_measure(cudaStream_t stream, const NormShape& shape, std::int64_t samples, const void* input,
                  const NormWeights<const float>& weights, const float* statistics, float* statistics_sums,
                  const NormVectors& vectors, void* scratch);

/// Computes mean, inverse deviation, scale and shift of each channel from the running statistics, and writes them to
/// `vectors`.
void norm_recall(cudaStream_t stream, const NormShape& shape, const NormWeights<const float>& weights,
                 const float* statistics, const NormVectors& vectors);

/// Computes output = scale * input + shift + addend, and then applies the ReLU if `shape.relu` is true. `output` may be
/// the same array as `input` or `addend`.
/// @param addend null: nothing is added
void norm_forward(cudaStream_t stream, const NormShape& shape, const void* input, const void* addend,
                  const NormVectors& vectors, void* output);

/// Changes `output_gradient` to the gradient before the ReLU. For this, adds `second_gradient`, if it is not null, and
/// then sets elements to zero where the ReLU set the output to zero. From sums of the changed gradient, computes the
/// gradients of the weights, and the vectors `by_input` and `constant`.
/// @param training true: mean and deviation were computed from the batch, so they depend on the input; false: they are
/// running statistics, which do not depend on the input
/// @param output not read if `shape.relu` is false
void norm_gradient_sums(cudaStream_t stream, const NormShape& shape, bool training, const void* input,
                        const void* output, const void* second_gradient, void* output_gradient,
                        const NormVectors& vectors, void* scratch, const NormWeights<float>& gradients);

/// Computes input_gradient = scale * output_gradient + by_input * (input - mean) + constant. `input_gradient` may be
/// the same array as `output_gradient`.
void norm_input_gradients(cudaStream_t stream, const NormShape& shape, const void* input, const void* output_gradient,
                          const NormVectors& vectors, void* input_gradient);

}  // namespace troupe::cuda
