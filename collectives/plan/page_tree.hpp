#pragma once

#include <span>
#include <vector>

#include "collectives/plan/range.hpp"

// Sums over the whole flat vector, of which each owner of a slice adds its own pages. The pages are the leaves of the
// fixed tree, so the result is bitwise identical for every distribution of slices.
namespace troupe {

/// Returns the complete subtrees of pages that tile a slice, at most kMostSubtrees.
/// @param size of the flat vector, in floats
std::vector<Range> page_subtrees(std::size_t size, const Range& slice);
inline constexpr std::size_t kMostSubtrees = 128;

/// Returns the sum of each of these subtrees.
/// @param pages the values to add, one per page of the slice
std::vector<double> subtree_sums(std::size_t size, const Range& slice, std::span<const double> pages);

/// Returns the sum of all pages.
/// @param sums of the subtrees of all slices, in order of the slices
/// @throws Error invalid_argument if the slices do not tile the vector
double sum_of_subtrees(std::size_t size, std::span<const Range> slices, std::span<const double> sums);

}  // namespace troupe
