#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>

#include "models/devices/element.hpp"
#include "troupe/layers/window.hpp"

// Pooling over [samples][height][width][channels] elements, which start at multiples of 16 bytes.
namespace troupe::cuda {

/// One layer's pooling.
struct Pooling {
  SampleShape input;
  SampleShape output;
  models::Window window;
  Element element;
};

/// The largest value of each window, padding left out, and its ReLU where asked for; NaN if any is.
void max_pool_forward(cudaStream_t stream, const Pooling& pooling, std::int64_t samples, bool relu, const void* input,
                      void* output);

/// Bytes that max_pool_backward needs to work in.
std::size_t max_pool_scratch(const Pooling& pooling, std::int64_t samples);

/// Gives a window's gradient to its first largest value, row by row; to none where `relu` cut the output.
/// @param output what max_pool_forward made of the input
void max_pool_backward(cudaStream_t stream, const Pooling& pooling, std::int64_t samples, bool relu, const void* input,
                       const void* output, const void* output_gradient, void* scratch, void* input_gradient);

/// The mean of each window; zeros of the padding count.
void average_pool_forward(cudaStream_t stream, const Pooling& pooling, std::int64_t samples, const void* input,
                          void* output);
void average_pool_backward(cudaStream_t stream, const Pooling& pooling, std::int64_t samples,
                           const void* output_gradient, void* input_gradient);

}  // namespace troupe::cuda
