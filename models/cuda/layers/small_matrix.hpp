#pragma once

#include <cstddef>

namespace troupe::cuda {

/// Returns the size in bytes up to which the matrix of windows of a batch counts as small. A convolution with a small
/// matrix is computed as a matrix product instead of by cuDNN. The product is then faster, because a call of cuDNN
/// takes about 100 microseconds of processor time (docs/cuda.md). Tests define this function themselves, so that small
/// networks use both implementations.
std::size_t small_matrix();

}  // namespace troupe::cuda
