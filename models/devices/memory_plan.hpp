#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace troupe {

/// A buffer that is needed from one moment to another, both included.
struct Lifetime {
  std::size_t bytes = 0;
  int first = 0;
  int last = 0;
};

struct MemoryPlan {
  std::vector<std::size_t> offsets;  ///< of each buffer, on 64-byte boundaries
  std::size_t bytes = 0;             ///< of all together
};

/// Places buffers so that those alive at the same moment do not overlap: the largest first, each in the smallest gap
/// that takes it.
MemoryPlan plan_memory(std::span<const Lifetime> buffers);

}  // namespace troupe
