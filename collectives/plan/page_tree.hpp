#pragma once

#include <span>
#include <vector>

#include "collectives/plan/range.hpp"

// Computes the sum of one number per page of the whole flat vector, although each owner of a slice knows only the
// numbers of its own pages. The numbers are added in a fixed tree whose leaves are the pages. So the sum is bitwise
// identical for every division of the vector into slices.
namespace troupe {

/// Returns the largest complete subtrees that together cover exactly the pages of `slice`. Each subtree is a range of
/// page numbers. There are at most kMostSubtrees subtrees.
/// @param size the size of the flat vector, in floats
/// @param slice a range of floats that begins and ends at page boundaries, or at the end of the vector
std::vector<Range> page_subtrees(std::size_t size, const Range& slice);
inline constexpr std::size_t kMostSubtrees = 128;

/// Returns the sum of the pages' numbers for each subtree in `page_subtrees(size, slice)`.
/// @param size, slice as for `page_subtrees`
/// @param pages the numbers to add, one per page of the slice
std::vector<double> subtree_sums(std::size_t size, const Range& slice, std::span<const double> pages);

/// Returns the sum of the numbers of all pages of the flat vector.
/// @param slices the slices of all owners, in order
/// @param sums the results of `subtree_sums` for all slices, one after the other, in order of the slices
/// @throws Error invalid_argument if the slices do not tile the vector
double sum_of_subtrees(std::size_t size, std::span<const Range> slices, std::span<const double> sums);

}  // namespace troupe
