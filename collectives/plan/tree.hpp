#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "collectives/plan/range.hpp"

namespace troupe {

/// Returns the number of leaves in the left subtree of the fixed tree over `count` leaves: the largest power of two
/// that is smaller than `count`. `count` must be greater than 1.
std::size_t left_leaves(std::size_t count);

/// Returns the sum of `values`, added in the fixed tree with the values as leaves; 0 if `values` is empty. The sum of a
/// tree is the sum of its left subtree (see `left_leaves`) plus the sum of its right subtree. The losses of a run are
/// always added in this order, and so are the gradients, except in ring order.
double tree_sum(std::span<const double> values);

/// Adds the arrays `sources` element by element in the fixed tree, with the arrays as leaves, and writes the `count`
/// sums to `out`.
/// @param sources pointers to `num_sources` arrays of `count` floats; at least one
/// @param count at most kTreeChunk
/// @param out must not overlap a source
void tree_sum(const float* const* sources, std::size_t num_sources, std::size_t count, float* out);

/// Adds `count` floats from `values` to the floats at `sum`, element by element.
void add_to(float* sum, const float* values, std::size_t count);

/// Returns the largest subtrees of the fixed tree over `num_leaves` leaves that together cover exactly the leaves
/// [begin, end), in order. There are at most 2 log2(num_leaves) such subtrees. A process that has only the leaves
/// [begin, end) can compute the sum of each subtree by itself. This does not change the order in which all leaves are
/// added.
std::vector<Range> complete_subtrees(std::size_t num_leaves, std::size_t begin, std::size_t end);

/// The size of a chunk: the number of floats that a reduction adds at a time. The partial sums of a chunk of this size
/// stay in the first-level cache.
inline constexpr std::size_t kTreeChunk = 2048;

}  // namespace troupe
