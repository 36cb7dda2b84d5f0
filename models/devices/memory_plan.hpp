#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace troupe {

/// The size and lifetime of a buffer. The buffer is needed from time `first` to time `last`, both included.
struct Lifetime {
  std::size_t bytes = 0;
  int first = 0;
  int last = 0;
};

struct MemoryPlan {
  std::vector<std::size_t> offsets;  ///< for each buffer, its offset in bytes, a multiple of 64
  std::size_t bytes = 0;             ///< size in bytes of the memory for all buffers
};

/// Plans the offsets of buffers in one block of memory. Buffers whose lifetimes overlap do not overlap in memory; other
/// buffers may. Buffers are placed in descending order of size, each in the smallest gap that is large enough.
MemoryPlan plan_memory(std::span<const Lifetime> buffers);

}  // namespace troupe
