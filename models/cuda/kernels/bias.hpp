#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>

#include "models/devices/element.hpp"

// Functions for matrices of [rows][channels] elements with at least one row. The elements start at a multiple of 16
// bytes.
namespace troupe::cuda {

/// Adds the bias of its channel to each value of `data`, in place. Then applies the ReLU if `relu` is true.
void add_bias(cudaStream_t stream, std::int64_t rows, std::int64_t channels, Element element, const float* bias,
              bool relu, void* data);

/// Returns the size in bytes of the scratch memory that column_sums needs.
std::size_t column_sums_scratch(std::int64_t rows, std::int64_t channels);

/// Writes the sum of each channel over all rows to `sums`. The additions are ordered by a fixed tree (sum_tree.hpp).
/// @param scratch column_sums_scratch(rows, channels) bytes; must start at a multiple of 16 bytes
void column_sums(cudaStream_t stream, std::int64_t rows, std::int64_t channels, Element element, const void* data,
                 void* scratch, float* sums);

}  // namespace troupe::cuda
