#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>

#include "models/devices/element.hpp"

// Functions for [rows][channels] elements with at least one row. Elements start at a multiple of 16 bytes.
namespace troupe::cuda {

/// Adds the channel's bias to each value in place, then applies the ReLU if `relu` is true.
void add_bias(cudaStream_t stream, std::int64_t rows, std::int64_t channels, Element element, const float* bias,
              bool relu, void* data);

/// Returns the scratch bytes that column_sums needs.
std::size_t column_sums_scratch(std::int64_t rows, std::int64_t channels);

/// Writes the sum of each channel over all rows to `sums`. Adds in a fixed tree (sum_tree.hpp).
/// @param scratch must start at a multiple of 16 bytes
void column_sums(cudaStream_t stream, std::int64_t rows, std::int64_t channels, Element element, const void* data,
                 void* scratch, float* sums);

}  // namespace troupe::cuda
