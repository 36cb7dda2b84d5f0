#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>

#include "models/devices/element.hpp"

// All functions of this file process arrays of `count` values, which start at multiples of 16 bytes.
namespace troupe::cuda {

/// Computes output = first + second, and then applies the ReLU if `relu` is true. `output` may be the same array as
/// `first` or `second`.
void add(cudaStream_t stream, Element element, std::size_t count, const void* first, const void* second, bool relu,
         void* output);

/// Copies the values of `input` to `output`, with negative values replaced by zero. `output` may be the same array as
/// `input`.
void relu_forward(cudaStream_t stream, Element element, std::size_t count, const void* input, void* output);

/// Sets elements of `gradient` to zero at positions where `output`, the output of a ReLU, is zero.
void relu_backward(cudaStream_t stream, Element element, std::size_t count, const void* output, void* gradient);

/// Adds the values at `from` to the values at `to`.
void accumulate(cudaStream_t stream, Element element, std::size_t count, const void* from, void* to);

/// `from_floats` converts floats to values of the type `element`, and `to_floats` converts such values to floats.
void from_floats(cudaStream_t stream, Element element, std::size_t count, const float* from, void* to);
void to_floats(cudaStream_t stream, Element element, std::size_t count, const void* from, float* to);

}  // namespace troupe::cuda
