#pragma once

#include <span>
#include <vector>

#include "collectives/plan/range.hpp"

namespace troupe {

/// Computes, for each page of a slice, the sum of the squares of the page's floats. The sums of all slices together
/// give the length (L2 norm) of the whole flat vector.
class PageSquares {
 public:
  PageSquares() = default;
  /// @param slice a range of floats that consists of whole pages, except at the end of the flat vector
  /// @param end floats whose index in the flat vector is `end` or higher are not counted
  PageSquares(const Range& slice, std::size_t end);

  /// Computes and stores the sums of squares for some pages of the slice. Several threads may call this function
  /// concurrently for different pages.
  /// @param begin the index of the first value in the flat vector; must be the start of a page
  /// @param values the floats of these pages; they must end at the end of a page or of the slice
  void note(std::size_t begin, std::span<const float> values);
  /// Returns the sums of squares, one per page of the slice.
  std::span<const double> pages() const { return pages_; }

 private:
  std::size_t begin_ = 0;
  std::size_t end_ = 0;
  std::vector<double> pages_;
};

}  // namespace troupe
