#pragma once

#include <cstddef>

namespace troupe::cuda {

/// Returns the maximum size in bytes of the matrix of windows of a batch for which a matrix product is used instead of
/// cuDNN. For small matrices the product is faster, because a call of cuDNN takes about 100 microseconds of processor
/// time (docs/cuda.md). Tests define this function themselves, so that small networks use both implementations.
std::size_t small_matrix();

}  // namespace troupe::cuda
