#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>

#include "models/devices/element.hpp"

namespace troupe::cuda {

enum class Activation : std::uint8_t { gelu, sigmoid, tanh };

/// Returns true if the gradient is computed from the output (sigmoid, tanh), false if from the input (GELU).
inline bool reads_output(Activation activation) { return activation != Activation::gelu; }

/// Applies the activation function to `count` values. Arrays start at multiples of 16 bytes. `output` may be the same
/// array as `input`.
void activation_forward(cudaStream_t stream, Activation activation, Element element, std::size_t count,
                        const void* input, void* output);

/// Replaces the gradient of the output by the gradient of the input, in place in `gradient`.
/// @param kept the output of the forward pass if reads_output(activation), otherwise its input
void activation_backward(cudaStream_t stream, Activation activation, Element element, std::size_t count,
                         const void* kept, void* gradient);

}  // namespace troupe::cuda
