#pragma once

#include <cstddef>
#include <vector>

namespace troupe::bench {

/// What the machine's memory allows: the time to read R gradients, read the weights and write them, in place and once,
/// with all cores and nothing else to do.
class MemoryFloor {
 public:
  MemoryFloor(std::size_t parameters, std::size_t gradients, std::size_t threads);

  /// Seconds of one pass.
  double measure();

 private:
  void pass(std::size_t begin, std::size_t end);

  std::size_t threads_;
  std::vector<std::vector<float>> gradients_;
  std::vector<float> weights_;
};

}  // namespace troupe::bench
