#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>

#include "models/devices/element.hpp"

// Over [rows][channels] elements, at least one row, which start at a multiple of 16 bytes.
namespace troupe::cuda {

/// Adds a channel's bias to each of its values, in place, then a ReLU where asked for.
void add_bias(cudaStream_t stream, std::int64_t rows, std::int64_t channels, Element element, const float* bias,
              bool relu, void* data);

/// Bytes that column_sums needs to work in.
std::size_t column_sums_scratch(std::int64_t rows, std::int64_t channels);

/// sums[channel] = the sum over all rows, by a fixed tree.
/// @param scratch starts at a multiple of 16 bytes
void column_sums(cudaStream_t stream, std::int64_t rows, std::int64_t channels, Element element, const void* data,
                 void* scratch, float* sums);

}  // namespace troupe::cuda
