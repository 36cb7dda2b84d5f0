#pragma once

#include <cstddef>
#include <vector>

namespace troupe::bench {

/// What the machine's memory allows: the time to read so many vectors once, with all cores and nothing else to do.
class ReadingFloor {
 public:
  ReadingFloor(std::size_t parameters, std::size_t vectors, std::size_t threads);

  /// Seconds of one pass.
  double measure();

 private:
  float pass(std::size_t begin, std::size_t end) const;

  std::size_t threads_;
  std::vector<std::vector<float>> vectors_;
  std::vector<float> sums_;  ///< by thread, so that nothing is left out
};

}  // namespace troupe::bench
