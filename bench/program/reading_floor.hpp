#pragma once

#include <cstddef>
#include <vector>

namespace troupe::bench {

/// Measures the limit that the memory of the machine sets: the time to read `vectors` vectors once, with all cores and
/// no other work.
class ReadingFloor {
 public:
  ReadingFloor(std::size_t parameters, std::size_t vectors, std::size_t threads);

  /// Returns the seconds of one pass.
  double measure();

 private:
  float pass(std::size_t begin, std::size_t end) const;

  std::size_t threads_;
  std::vector<std::vector<float>> vectors_;
  std::vector<float> sums_;  ///< one per thread, so that the compiler keeps the sums
};

}  // namespace troupe::bench
