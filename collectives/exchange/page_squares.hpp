#pragma once

#include <span>
#include <vector>

#include "collectives/plan/range.hpp"

namespace troupe {

/// Sums of the squares of a slice's floats, page by page: what the length of the flat vector is made of.
class PageSquares {
 public:
  PageSquares() = default;
  /// @param slice of whole pages, but for the vector's end. @param end from which on floats do not count
  PageSquares(const Range& slice, std::size_t end);

  /// Takes note of values that begin with a page and end with one, or with the slice. Several threads may do so at
  /// once, each with pages of its own.
  void note(std::size_t begin, std::span<const float> values);
  /// By page of the slice.
  std::span<const double> pages() const { return pages_; }

 private:
  std::size_t begin_ = 0;
  std::size_t end_ = 0;
  std::vector<double> pages_;
};

}  // namespace troupe
