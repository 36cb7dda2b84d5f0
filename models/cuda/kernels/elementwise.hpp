#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>

#include "models/devices/element.hpp"

// These functions process `count` values; arrays start at multiples of 16 bytes.
namespace troupe::cuda {

/// Computes output = first + second, then the ReLU if `relu` is true. The output may be one of the inputs.
void add(cudaStream_t stream, Element element, std::size_t count, const void* first, const void* second, bool relu,
         void* output);

/// Sets negative values to zero. May work in place.
void relu_forward(cudaStream_t stream, Element element, std::size_t count, const void* input, void* output);

/// Sets the gradient to zero, in place, where the ReLU set its output to zero.
void relu_backward(cudaStream_t stream, Element element, std::size_t count, const void* output, void* gradient);

/// Adds `from` to `to`.
void accumulate(cudaStream_t stream, Element element, std::size_t count, const void* from, void* to);

/// Convert floats to elements, and back.
void from_floats(cudaStream_t stream, Element element, std::size_t count, const float* from, void* to);
void to_floats(cudaStream_t stream, Element element, std::size_t count, const void* from, float* to);

}  // namespace troupe::cuda
