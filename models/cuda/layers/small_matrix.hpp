#pragma once

#include <cstddef>

namespace troupe::cuda {

/// Returns the size in bytes up to which a device needs less time to make a matrix of windows than the processor needs
/// for a cuDNN call, some 100 microseconds (docs/cuda.md). Tests define this function themselves, so that small
/// networks use both ways.
std::size_t small_matrix();

}  // namespace troupe::cuda
