#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace troupe {

/// The size and lifetime of a buffer. The buffer lives from time `first` to time `last`, both included.
struct Lifetime {
  std::size_t bytes = 0;
  int first = 0;
  int last = 0;
};

struct MemoryPlan {
  std::vector<std::size_t> offsets;  ///< offset of each buffer in bytes, a multiple of 64
  std::size_t bytes = 0;             ///< size of the memory for all buffers
};

/// Places buffers in one block of memory. Buffers with overlapping lifetimes do not overlap in memory; other buffers
/// may. The largest buffer is placed first, and each buffer is placed in the smallest gap that is large enough.
MemoryPlan plan_memory(std::span<const Lifetime> buffers);

}  // namespace troupe
