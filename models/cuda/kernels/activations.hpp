#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>

#include "models/devices/element.hpp"

namespace troupe::cuda {

enum class Activation : std::uint8_t { gelu, gelu_tanh, sigmoid, tanh };

/// Returns true if the gradient of the activation function is computed from its output (sigmoid, tanh), and false if it
/// is computed from its input (GELU).
inline bool reads_output(Activation activation) {
  return activation == Activation::sigmoid || activation == Activation::tanh;
}

/// Applies the activation function to each of the `count` values of `input`, and writes the results to `output`. Arrays
/// start at multiples of 16 bytes. `output` may be the same array as `input`.
void activation_forward(cudaStream_t stream, Activation activation, Element element, std::size_t count,
                        const void* input, void* output);

/// Changes `gradient`, the gradient of the function's output, to the gradient of the function's input.
/// @param kept the output of the forward pass if reads_output(activation), otherwise its input
void activation_backward(cudaStream_t stream, Activation activation, Element element, std::size_t count,
                         const void* kept, void* gradient);

}  // namespace troupe::cuda
