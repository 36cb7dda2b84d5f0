#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>

#include "models/devices/element.hpp"
#include "troupe/layers/window.hpp"

// Writes the windows of a convolution as rows of a matrix, so that the convolution becomes a matrix product. Arrays
// start at multiples of 16 bytes.
namespace troupe::cuda {

/// Describes the matrix of a convolution. The matrix has one row for each output pixel, with the
/// [kernel][kernel][channels] input values of the pixel's window. Values outside the image are zero. Zeros at the end
/// of each row fill the row up to `columns()` elements, a multiple of 8.
struct Unfolding {
  SampleShape input;
  SampleShape output;
  models::Window window;
  Element element;

  std::int64_t rows_of_sample() const { return output.height * output.width; }
  std::int64_t values() const { return window.kernel * window.kernel * input.channels; }
  std::int64_t columns() const { return (values() + 7) / 8 * 8; }
};

/// Writes the matrix of `samples` samples to `matrix`. Its elements have the type `unfolding.element`.
void unfold(cudaStream_t stream, const Unfolding& unfolding, std::int64_t samples, const void* input, void* matrix);

/// Writes the gradient of the convolution's input to `input`. `matrix` contains the gradient with respect to the
/// matrix. The gradient of an input value is the sum of all floats of `matrix` at the positions to which `unfold`
/// copies this value.
void fold(cudaStream_t stream, const Unfolding& unfolding, std::int64_t samples, const float* matrix, void* input);

/// Copies `rows` rows of `from_columns` elements each to rows of `to_columns` elements each. If `to_columns` is
/// smaller, the last elements of each row are left out. If it is larger, zeros are appended.
void copy_rows(cudaStream_t stream, Element element, std::int64_t rows, std::int64_t from_columns, const void* from,
               std::int64_t to_columns, void* to);

}  // namespace troupe::cuda
