#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>

#include "models/devices/element.hpp"

// Functions that process arrays of `count` values. Arrays start at multiples of 16 bytes.
namespace troupe::cuda {

/// Computes output = first + second, and then applies the ReLU if `relu` is true. `output` may be the same array as
/// `first` or `second`.
void add(cudaStream_t stream, Element element, std::size_t count, const void* first, const void* second, bool relu,
         void* output);

/// Copies values and replaces negative values by zero. `output` may be the same array as `input`.
void relu_forward(cudaStream_t stream, Element element, std::size_t count, const void* input, void* output);

/// Sets elements of the gradient to zero where `output`, the output of a ReLU, is zero.
void relu_backward(cudaStream_t stream, Element element, std::size_t count, const void* output, void* gradient);

/// Adds the values of `from` to those of `to`.
void accumulate(cudaStream_t stream, Element element, std::size_t count, const void* from, void* to);

/// Converts floats to elements. `to_floats` converts in the other direction.
void from_floats(cudaStream_t stream, Element element, std::size_t count, const float* from, void* to);
void to_floats(cudaStream_t stream, Element element, std::size_t count, const void* from, float* to);

}  // namespace troupe::cuda
