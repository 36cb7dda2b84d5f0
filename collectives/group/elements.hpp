#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "collectives/plan/range.hpp"
#include "troupe/group.hpp"

// Arithmetic on elements of any type, in the fixed tree over ranks.
namespace troupe {

/// Returns `size` ranges of one rank each.
std::vector<Range> each_rank(int size);

/// Reduces `count` elements of each source to `count` elements at `out`.
/// @param sources one per range of `ranks`, in order; `out` may be one of them, if both begin at the same element
/// @param ranks complete subtrees that tile the tree over all ranks. The source of a range of several ranks contains
/// their sum, or their maximum
void reduce_elements(ElementType type, ReduceOp op, std::span<const Range> ranks, const std::byte* const* sources,
                     std::size_t count, std::byte* out);

}  // namespace troupe
