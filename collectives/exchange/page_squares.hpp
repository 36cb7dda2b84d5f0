#pragma once

#include <span>
#include <vector>

#include "collectives/plan/range.hpp"

namespace troupe {

/// Sums of squares of a slice's floats, one per page. The length of the flat vector is computed from them.
class PageSquares {
 public:
  PageSquares() = default;
  /// @param slice whole pages, except at the end of the vector
  /// @param end floats at this index and above are not counted
  PageSquares(const Range& slice, std::size_t end);

  /// Computes the sums of squares of some pages. `values` begins at the start of a page and ends at the end of a page
  /// or of the slice. Thread-safe if each thread passes different pages.
  void note(std::size_t begin, std::span<const float> values);
  /// Returns the sums, one per page of the slice.
  std::span<const double> pages() const { return pages_; }

 private:
  std::size_t begin_ = 0;
  std::size_t end_ = 0;
  std::vector<double> pages_;
};

}  // namespace troupe
