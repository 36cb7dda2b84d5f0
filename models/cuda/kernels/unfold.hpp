#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>

#include "models/devices/element.hpp"
#include "troupe/layers/window.hpp"

// A convolution's windows as rows of a matrix, so that it is a product of matrices. Memory starts at multiples of 16
// bytes.
namespace troupe::cuda {

/// The matrix has a row for each output pixel, and in it what the window there covers: [kernel][kernel][channels]
/// values, zeros where it reaches over the edge, and behind them up to `columns`, a multiple of 8.
struct Unfolding {
  SampleShape input;
  SampleShape output;
  models::Window window;
  Element element;

  std::int64_t rows_of_sample() const { return output.height * output.width; }
  std::int64_t values() const { return window.kernel * window.kernel * input.channels; }
  std::int64_t columns() const { return (values() + 7) / 8 * 8; }
};

/// Writes the matrix of these samples, in the element.
void unfold(cudaStream_t stream, const Unfolding& unfolding, std::int64_t samples, const void* input, void* matrix);

/// Writes for each value of the input the sum of those floats of such a matrix that stand where it stood.
void fold(cudaStream_t stream, const Unfolding& unfolding, std::int64_t samples, const float* matrix, void* input);

/// Copies rows of one length to rows of another: cuts them, or puts zeros behind them.
void copy_rows(cudaStream_t stream, Element element, std::int64_t rows, std::int64_t from_columns, const void* from,
               std::int64_t to_columns, void* to);

}  // namespace troupe::cuda
