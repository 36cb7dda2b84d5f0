#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>
#include <list>
#include <map>
#include <string>
#include <vector>

#include "cuda/double/double.hpp"

namespace troupe::cuda_double {

/// A vector clock: for each stream, the amount of its work that surely happens before a point.
using Clock = std::map<cudaStream_t, std::uint64_t>;

/// Merges `other` into `clock`.
void merge(Clock& clock, const Clock& other);

/// Detects unordered work on the same memory. Here each piece of work runs as a whole, so a workspace shared by two
/// streams would never produce wrong numbers. The happens-before order is known when work is queued.
class Races {
 public:
  /// Records accesses to memory. Complains if unordered work accesses the same memory.
  void add(cudaStream_t stream, int device, const Clock& clock, const std::string& what,
           const std::vector<Touch>& touches);

  /// Records that the host waited until then: all work queued from now on is later.
  void host_saw(const Clock& clock);
  void host_saw_device(int device);

  /// Forgets accesses to memory that was released.
  void forget(const void* start, std::size_t bytes);
  void clear() { entries_.clear(); }

 private:
  struct Entry {
    Touch touch;
    cudaStream_t stream = nullptr;
    int device = 0;
    std::uint64_t time = 0;
    std::string what;
  };

  void add(const Entry& entry, const Clock& clock);

  std::list<Entry> entries_;  ///< accesses that the host has not waited for
};

Races& races();

}  // namespace troupe::cuda_double
