#pragma once

#include "models/data/data_memory.hpp"

namespace troupe::testing {

/// Limits the memory for data to `bytes` during its lifetime.
class LimitedDataMemory {
 public:
  explicit LimitedDataMemory(std::size_t bytes) { limit_data_memory(bytes, 1, 1); }
  LimitedDataMemory(const LimitedDataMemory&) = delete;
  LimitedDataMemory& operator=(const LimitedDataMemory&) = delete;
  ~LimitedDataMemory() { limit_data_memory(0, 1, 1); }
};

}  // namespace troupe::testing
