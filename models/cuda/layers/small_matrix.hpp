#pragma once

#include <cstddef>

namespace troupe::cuda {

/// Returns the largest size in bytes of a matrix of windows that is faster to make than calling cuDNN: a call costs the
/// processor some 100 microseconds (docs/cuda.md). Tests define this function themselves, so that small networks use
/// both ways.
std::size_t small_matrix();

}  // namespace troupe::cuda
