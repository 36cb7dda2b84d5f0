#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>

#include "models/devices/element.hpp"

// Batch-norm over [rows][channels] elements (rows: samples x pixels, at least one). Elements, vectors and scratch start
// at multiples of 16 bytes; weights may lie anywhere. Sums follow a fixed tree.
namespace troupe::cuda {

struct NormShape {
  std::int64_t rows;
  std::int64_t channels;
  Element element;
  bool relu;  ///< of the output
};

/// What is known per channel, on the device.
struct NormVectors {
  float* mean;  ///< of the forward pass; so are the next three
  float* inverse_deviation;
  float* scale;  ///< output = scale * input + shift
  float* shift;
  float* by_input;  ///< of the backward pass, see norm_input_gradients
  float* constant;

  static std::size_t bytes(std::int64_t channels);
  /// @param memory of so many bytes, which lives from the forward to the backward pass
  NormVectors(void* memory, std::int64_t channels);
};

/// The layer's weights, a float a channel, or their gradients.
template <class Float>
struct NormWeights {
  Float* scale;
  Float* shift;
};

/// Bytes that norm_measure and norm_gradient_sums need to work in.
std::size_t norm_scratch(const NormShape& shape);

/// Mean and deviation of the batch into the vectors, with scale and shift. Writes, for whole groups of 16 channels,
/// what goes into the running statistics: `samples` times the means of x - r and of (x - r)^2 for a running mean r.
/// @param statistics, statistics_sums in the order of models/devices/statistics.hpp; zeroes where there is no channel
void norm_measure(cudaStream_t stream, const NormShape& shape, std::int64_t samples, const void* input,
                  const NormWeights<const float>& weights, const float* statistics, float* statistics_sums,
                  const NormVectors& vectors, void* scratch);

/// Running mean and variance into the vectors, with scale and shift.
void norm_recall(cudaStream_t stream, const NormShape& shape, const NormWeights<const float>& weights,
                 const float* statistics, const NormVectors& vectors);

/// output = scale * input + shift (+ addend), then the ReLU; may be in place.
/// @param addend null: none
void norm_forward(cudaStream_t stream, const NormShape& shape, const void* input, const void* addend,
                  const NormVectors& vectors, void* output);

/// Adds `second_gradient`, where there is one, to the output's gradient and cuts it where the ReLU cut the output, in
/// place. From its sums follow the gradients of the weights, and `by_input` and `constant`.
/// @param output not looked at without a ReLU
/// @param training false: mean and deviation are no functions of the input
void norm_gradient_sums(cudaStream_t stream, const NormShape& shape, bool training, const void* input,
                        const void* output, const void* second_gradient, void* output_gradient,
                        const NormVectors& vectors, void* scratch, const NormWeights<float>& gradients);

/// input_gradient = scale * output_gradient + by_input * (input - mean) + constant; may be in place.
void norm_input_gradients(cudaStream_t stream, const NormShape& shape, const void* input, const void* output_gradient,
                          const NormVectors& vectors, void* input_gradient);

}  // namespace troupe::cuda
