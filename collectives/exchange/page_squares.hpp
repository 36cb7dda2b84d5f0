#pragma once

#include <span>
#include <vector>

#include "collectives/plan/range.hpp"

namespace troupe {

/// Computes, for each page of a slice, the sum of the squares of its floats. The length (L2 norm) of the whole flat
/// vector is computed from these sums.
class PageSquares {
 public:
  PageSquares() = default;
  /// @param slice the range of floats; it must consist of whole pages, except at the end of the vector
  /// @param end floats at this index of the flat vector and above are not counted
  PageSquares(const Range& slice, std::size_t end);

  /// Computes and stores the sums of squares of some pages of the slice. Thread-safe if each thread passes different
  /// pages.
  /// @param begin the index of the first value in the flat vector; must be the start of a page
  /// @param values must end at the end of a page or of the slice
  void note(std::size_t begin, std::span<const float> values);
  /// Returns the sums, one per page of the slice.
  std::span<const double> pages() const { return pages_; }

 private:
  std::size_t begin_ = 0;
  std::size_t end_ = 0;
  std::vector<double> pages_;
};

}  // namespace troupe
