#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>
#include <list>
#include <map>
#include <string>
#include <vector>

#include "cuda/double/double.hpp"

namespace troupe::cuda_double {

/// How much of each stream's work has come before something, for certain.
using Clock = std::map<cudaStream_t, std::uint64_t>;

/// Makes `clock` come after `other` too.
void merge(Clock& clock, const Clock& other);

/// Finds work that touches the same memory in no order. Work runs here in one piece, so that a workspace which two
/// streams share never shows by its numbers; what is certain to come before what is known when work is queued.
class Races {
 public:
  /// Complains where memory is touched that unordered work touches too, and remembers it.
  void add(cudaStream_t stream, int device, const Clock& clock, const std::string& what,
           const std::vector<Touch>& touches);

  /// The host waited until then: all that is queued from now on comes later.
  void host_saw(const Clock& clock);
  void host_saw_device(int device);

  /// Memory that was given back.
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

  std::list<Entry> entries_;  ///< that the host has not seen the end of
};

Races& races();

}  // namespace troupe::cuda_double
