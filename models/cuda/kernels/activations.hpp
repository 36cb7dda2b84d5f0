#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>

#include "models/devices/element.hpp"

namespace troupe::cuda {

enum class Activation : std::uint8_t { gelu, sigmoid, tanh };

/// Whether the gradient follows from the output (sigmoid, tanh) or from the input (GELU).
inline bool reads_output(Activation activation) { return activation != Activation::gelu; }

/// Over `count` values; arrays start at multiples of 16 bytes; may be in place.
void activation_forward(cudaStream_t stream, Activation activation, Element element, std::size_t count,
                        const void* input, void* output);

/// Makes the output's gradient that of the input, in place.
/// @param kept the output where reads_output(activation), the input otherwise
void activation_backward(cudaStream_t stream, Activation activation, Element element, std::size_t count,
                         const void* kept, void* gradient);

}  // namespace troupe::cuda
