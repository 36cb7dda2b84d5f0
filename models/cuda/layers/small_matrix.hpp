#pragma once

#include <cstddef>

namespace troupe::cuda {

/// Bytes of a matrix of windows up to which making it costs a device less than a call of cuDNN costs the processor:
/// some 100 microseconds (docs/cuda.md). Tests have a definition of their own, so that small networks try both.
std::size_t small_matrix();

}  // namespace troupe::cuda
