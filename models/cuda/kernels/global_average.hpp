#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

#include "models/devices/element.hpp"

// Converts between [samples][pixels][channels] and [samples][channels] elements, which start at multiples of 16 bytes
// and may have different types.
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
void global_average_backward(cudaStream_t stream, const Averages& averages, const void* output_gradient,
                             void* input_gradient);

}  // namespace troupe::cuda
