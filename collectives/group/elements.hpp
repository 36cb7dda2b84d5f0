#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "collectives/plan/range.hpp"
#include "troupe/group.hpp"

// Combines vectors of elements of any supported type, one vector per rank, in the fixed tree over the ranks.
namespace troupe {

/// Returns the ranges [0, 1), [1, 2), ..., [size - 1, size): one range for each rank.
std::vector<Range> each_rank(int size);

/// Combines the sources element by element with `op`, and writes `count` elements to `out`.
/// @param ranks the ranks that each source covers: complete subtrees of the fixed tree that together cover all ranks,
/// in order. The source of a range of several ranks contains the sum (or the maximum) over these ranks
/// @param sources one pointer per range in `ranks`, to `count` elements; `out` may be equal to one of these pointers
void reduce_elements(ElementType type, ReduceOp op, std::span<const Range> ranks, const std::byte* const* sources,
                     std::size_t count, std::byte* out);

}  // namespace troupe
