#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "collectives/plan/range.hpp"

namespace troupe {

/// How many of `count` > 1 leaves go to the left subtree: the largest power of two below `count`.
std::size_t left_leaves(std::size_t count);

/// Sums `values` in the fixed tree over their index: left part first, recursively. The order in which a run's losses
/// and gradients are added, whoever adds them. Empty: zero.
double tree_sum(std::span<const double> values);

/// Adds `count` floats of each source in the same tree, element by element, into `out` (which no source overlaps).
/// @param sources at least one; @param count at most kTreeChunk.
void tree_sum(const float* const* sources, std::size_t num_sources, std::size_t count, float* out);

/// Adds `count` floats of `values` to `sum`, element by element.
void add_to(float* sum, const float* values, std::size_t count);

/// The largest complete subtrees of the tree over `num_leaves` that tile [begin, end), in order: at most 2 log2 of
/// them. Who holds these leaves adds each subtree for itself, and the tree stays the same.
std::vector<Range> complete_subtrees(std::size_t num_leaves, std::size_t begin, std::size_t end);

/// Floats added at once: the partial sums of a chunk stay in the first-level cache.
inline constexpr std::size_t kTreeChunk = 2048;

}  // namespace troupe
