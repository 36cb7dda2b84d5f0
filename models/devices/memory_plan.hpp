#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace troupe {

/// The size and lifetime of a buffer. `first` and `last` are both included.
struct Lifetime {
  std::size_t bytes = 0;
  int first = 0;
  int last = 0;
};

struct MemoryPlan {
  std::vector<std::size_t> offsets;  ///< of each buffer, multiples of 64 bytes
  std::size_t bytes = 0;             ///< the total
};

/// Places buffers so that buffers with overlapping lifetimes do not overlap in memory: the largest buffer first, each
/// in the smallest gap that is large enough.
MemoryPlan plan_memory(std::span<const Lifetime> buffers);

}  // namespace troupe
