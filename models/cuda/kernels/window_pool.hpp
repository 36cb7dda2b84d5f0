#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>

#include "models/devices/element.hpp"
#include "troupe/layers/window.hpp"

// Pooling of [samples][height][width][channels] elements. Arrays start at multiples of 16 bytes.
namespace troupe::cuda {

/// The shapes and windows of a pooling layer.
struct Pooling {
  SampleShape input;
  SampleShape output;
  models::Window window;
  Element element;
};

/// Writes the largest value of each window, or NaN if any value of the window is NaN. Then applies the ReLU if `relu`
/// is true. Padding is not part of a window.
void max_pool_forward(cudaStream_t stream, const Pooling& pooling, std::int64_t samples, bool relu, const void* input,
                      void* output);

/// Returns the size in bytes of the scratch memory that max_pool_backward needs.
std::size_t max_pool_scratch(const Pooling& pooling, std::int64_t samples);

/// Writes the gradient of the input. The gradient of each window is assigned to the largest value of the window. If
/// several values are the largest, it is assigned to the first of them, row by row. If the ReLU set the output to zero,
/// it is assigned to no value. If windows overlap, the gradients that are assigned to the same value are added.
/// @param output the output of max_pool_forward for `input`
void max_pool_backward(cudaStream_t stream, const Pooling& pooling, std::int64_t samples, bool relu, const void* input,
                       const void* output, const void* output_gradient, void* scratch, void* input_gradient);

/// Writes the mean of each window. The zeros of the padding count as values of the window.
void average_pool_forward(cudaStream_t stream, const Pooling& pooling, std::int64_t samples, const void* input,
                          void* output);
void average_pool_backward(cudaStream_t stream, const Pooling& pooling, std::int64_t samples,
                           const void* output_gradient, void* input_gradient);

}  // namespace troupe::cuda
