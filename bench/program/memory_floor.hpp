#pragma once

#include <cstddef>
#include <vector>

namespace troupe::bench {

/// Measures the limit that the memory of the machine sets: the time to read R gradients once and to read and write the
/// weights in place, with all cores and no other work.
class MemoryFloor {
 public:
  MemoryFloor(std::size_t parameters, std::size_t gradients, std::size_t threads);

  /// Returns the seconds of one pass.
  double measure();

 private:
  void pass(std::size_t begin, std::size_t end);

  std::size_t threads_;
  std::vector<std::vector<float>> gradients_;
  std::vector<float> weights_;
};

}  // namespace troupe::bench
