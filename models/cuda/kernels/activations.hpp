#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>

#include "models/devices/element.hpp"

namespace troupe::cuda {

enum class Activation : std::uint8_t { gelu, sigmoid, tanh };

/// Returns true if the gradient is computed from the output (sigmoid, tanh), false if from the input (GELU).
inline bool reads_output(Activation activation) { return activation != Activation::gelu; }

/// Processes `count` values. Arrays start at multiples of 16 bytes. May work in place.
void activation_forward(cudaStream_t stream, Activation activation, Element element, std::size_t count,
                        const void* input, void* output);

/// Converts the output's gradient to the input's gradient, in place.
/// @param kept the output if reads_output(activation), otherwise the input
void activation_backward(cudaStream_t stream, Activation activation, Element element, std::size_t count,
                         const void* kept, void* gradient);

}  // namespace troupe::cuda
