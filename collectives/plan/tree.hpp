#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "collectives/plan/range.hpp"

namespace troupe {

/// Returns the number of leaves in the left subtree of the fixed tree over `count` leaves: the largest power of two
/// below `count`. `count` must be greater than 1.
std::size_t left_leaves(std::size_t count);

/// Returns the sum of `values`, added in the fixed tree: recursively, the sum of the left subtree (see `left_leaves`)
/// plus the sum of the right subtree. The losses and gradients of a run are always added in this order. Returns 0 if
/// `values` is empty.
double tree_sum(std::span<const double> values);

/// Adds the sources element by element in the fixed tree, with the sources as leaves, and writes the `count` sums to
/// `out`.
/// @param sources one pointer per source, to `count` floats; at least one source
/// @param count at most kTreeChunk
/// @param out must not overlap a source
void tree_sum(const float* const* sources, std::size_t num_sources, std::size_t count, float* out);

/// Adds `count` floats of `values` to `sum`, element by element.
void add_to(float* sum, const float* values, std::size_t count);

/// Returns the largest subtrees of the fixed tree over `num_leaves` that together cover exactly the leaves [begin,
/// end), in order. There are at most 2 log2(num_leaves) of them. A process that has only these leaves can add each
/// subtree by itself, and the order of the whole sum does not change.
std::vector<Range> complete_subtrees(std::size_t num_leaves, std::size_t begin, std::size_t end);

/// The size of a chunk: the number of floats that are added at once. The partial sums of a chunk of this size stay in
/// the first-level cache.
inline constexpr std::size_t kTreeChunk = 2048;

}  // namespace troupe
