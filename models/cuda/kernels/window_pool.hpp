#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>

#include "models/devices/element.hpp"
#include "troupe/layers/window.hpp"

// Pooling of [samples][height][width][channels] elements. Arrays start at multiples of 16 bytes.
namespace troupe::cuda {

/// The pooling of a layer.
struct Pooling {
  SampleShape input;
  SampleShape output;
  models::Window window;
  Element element;
};

/// Computes the largest value of each window, or NaN if any value is NaN, and then applies the ReLU if `relu` is true.
/// Padding is not part of a window.
void max_pool_forward(cudaStream_t stream, const Pooling& pooling, std::int64_t samples, bool relu, const void* input,
                      void* output);

/// Returns the scratch bytes that max_pool_backward needs.
std::size_t max_pool_scratch(const Pooling& pooling, std::int64_t samples);

/// Writes the input gradient. The gradient of each window goes to the largest value in the window. If there are several
/// largest values, the first one, row by row, gets the gradient. If the ReLU set the output to zero, no value gets it.
/// If windows overlap, gradients are added.
/// @param output the output of max_pool_forward for `input`
void max_pool_backward(cudaStream_t stream, const Pooling& pooling, std::int64_t samples, bool relu, const void* input,
                       const void* output, const void* output_gradient, void* scratch, void* input_gradient);

/// Computes the mean of each window, including the zeros of the padding.
void average_pool_forward(cudaStream_t stream, const Pooling& pooling, std::int64_t samples, const void* input,
                          void* output);
void average_pool_backward(cudaStream_t stream, const Pooling& pooling, std::int64_t samples,
                           const void* output_gradient, void* input_gradient);

}  // namespace troupe::cuda
