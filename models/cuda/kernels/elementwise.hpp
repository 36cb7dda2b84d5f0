#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>

#include "models/devices/element.hpp"

// Over `count` values; arrays start at multiples of 16 bytes.
namespace troupe::cuda {

/// output = first + second, then ReLU where asked for; the output may be one of them.
void add(cudaStream_t stream, Element element, std::size_t count, const void* first, const void* second, bool relu,
         void* output);

/// Zeroes what is negative; may be in place.
void relu_forward(cudaStream_t stream, Element element, std::size_t count, const void* input, void* output);

/// Zeroes, in place, the gradients of outputs that a ReLU cut off.
void relu_backward(cudaStream_t stream, Element element, std::size_t count, const void* output, void* gradient);

/// Adds `from` to `to`.
void accumulate(cudaStream_t stream, Element element, std::size_t count, const void* from, void* to);

/// Floats to elements, and back.
void from_floats(cudaStream_t stream, Element element, std::size_t count, const float* from, void* to);
void to_floats(cudaStream_t stream, Element element, std::size_t count, const void* from, float* to);

}  // namespace troupe::cuda
