#pragma once

#include <span>
#include <vector>

#include "collectives/plan/range.hpp"

// Sums over the whole flat vector that several owners of slices make, each for its own pages, and that have the same
// bits whoever owns what: the pages are the leaves of the fixed tree.
namespace troupe {

/// The complete subtrees of pages that tile a slice, at most kMostSubtrees. @param size of the flat vector, in floats
std::vector<Range> page_subtrees(std::size_t size, const Range& slice);
inline constexpr std::size_t kMostSubtrees = 128;

/// The sum of each of these subtrees. @param pages what there is to add, by page of the slice
std::vector<double> subtree_sums(std::size_t size, const Range& slice, std::span<const double> pages);

/// The sum of all pages. @param sums of the subtrees of all slices, one slice after the other
/// @throws Error invalid_argument when the slices do not tile the vector
double sum_of_subtrees(std::size_t size, std::span<const Range> slices, std::span<const double> sums);

}  // namespace troupe
