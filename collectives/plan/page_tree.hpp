#pragma once

#include <span>
#include <vector>

#include "collectives/plan/range.hpp"

// Adds numbers over the whole flat vector, one number per page, although each owner of a slice knows the numbers of its
// own pages only. The numbers are added in a fixed tree with the pages as leaves. So the result is bitwise identical
// for every division into slices.
namespace troupe {

/// Returns the largest complete subtrees that together cover the pages of `slice`, at most kMostSubtrees. Each is a
/// range of page numbers.
/// @param size the size of the flat vector, in floats
/// @param slice a range of floats, cut at page boundaries
std::vector<Range> page_subtrees(std::size_t size, const Range& slice);
inline constexpr std::size_t kMostSubtrees = 128;

/// Returns the sum of each subtree in `page_subtrees(size, slice)`.
/// @param pages the numbers to add, one per page of the slice
std::vector<double> subtree_sums(std::size_t size, const Range& slice, std::span<const double> pages);

/// Returns the sum over all pages of the flat vector.
/// @param sums the results of `subtree_sums` for all slices, one after the other, in order of the slices
/// @throws Error invalid_argument if the slices do not tile the vector
double sum_of_subtrees(std::size_t size, std::span<const Range> slices, std::span<const double> sums);

}  // namespace troupe
