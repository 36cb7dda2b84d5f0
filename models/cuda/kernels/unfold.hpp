#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>

#include "models/devices/element.hpp"
#include "troupe/layers/window.hpp"

// Turns a convolution's windows into rows of a matrix, so that the convolution becomes a matrix product. Memory starts
// at multiples of 16 bytes.
namespace troupe::cuda {

/// The matrix has one row per output pixel with the values of its window: [kernel][kernel][channels] values, with zeros
/// beyond the edge, then zeros up to `columns`, a multiple of 8.
struct Unfolding {
  SampleShape input;
  SampleShape output;
  models::Window window;
  Element element;

  std::int64_t rows_of_sample() const { return output.height * output.width; }
  std::int64_t values() const { return window.kernel * window.kernel * input.channels; }
  std::int64_t columns() const { return (values() + 7) / 8 * 8; }
};

/// Writes the matrix of these samples, in the element type.
void unfold(cudaStream_t stream, const Unfolding& unfolding, std::int64_t samples, const void* input, void* matrix);

/// Writes for each value of the input the sum of all floats of the matrix that stand for it.
void fold(cudaStream_t stream, const Unfolding& unfolding, std::int64_t samples, const float* matrix, void* input);

/// Copies rows to rows of another length: truncates them or appends zeros.
void copy_rows(cudaStream_t stream, Element element, std::int64_t rows, std::int64_t from_columns, const void* from,
               std::int64_t to_columns, void* to);

}  // namespace troupe::cuda
