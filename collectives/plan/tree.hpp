#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "collectives/plan/range.hpp"

namespace troupe {

/// Returns how many of `count` > 1 leaves are in the left subtree: the largest power of two below `count`.
std::size_t left_leaves(std::size_t count);

/// Sums `values` in the fixed tree over their index: left part first, recursively. The losses and gradients of a run
/// are always added in this order. Returns 0 if `values` is empty.
double tree_sum(std::span<const double> values);

/// Adds `count` floats of each source in the same tree, element by element, into `out`, which must not overlap a
/// source.
/// @param sources at least one
/// @param count at most kTreeChunk
void tree_sum(const float* const* sources, std::size_t num_sources, std::size_t count, float* out);

/// Adds `count` floats of `values` to `sum`, element by element.
void add_to(float* sum, const float* values, std::size_t count);

/// Returns the largest complete subtrees of the tree over `num_leaves` that tile [begin, end), in order: at most 2 log2
/// of `num_leaves`. If each holder of leaves adds its subtrees on its own, the order of the whole sum stays the same.
std::vector<Range> complete_subtrees(std::size_t num_leaves, std::size_t begin, std::size_t end);

/// Floats added per pass: the partial sums of a chunk of this size stay in the first-level cache.
inline constexpr std::size_t kTreeChunk = 2048;

}  // namespace troupe
