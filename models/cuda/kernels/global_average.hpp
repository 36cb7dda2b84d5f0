#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

#include "models/devices/element.hpp"

// Global average pooling: from [samples][pixels][channels] to [samples][channels] elements. Both arrays start at
// multiples of 16 bytes. Their element types may differ.
namespace troupe::cuda {

struct Averages {
  std::int64_t samples;
  std::int64_t pixels;
  std::int64_t channels;
  Element image;  ///< the type of pixels
  Element mean;   ///< the type of means
};

/// Computes the mean of each channel over a sample's pixels.
void global_average_forward(cudaStream_t stream, const Averages& averages, const void* input, void* output);
/// Writes the gradient of each pixel to `input_gradient`: the gradient of its channel's mean, divided by the number of
/// pixels.
void global_average_backward(cudaStream_t stream, const Averages& averages, const void* output_gradient,
                             void* input_gradient);

}  // namespace troupe::cuda
