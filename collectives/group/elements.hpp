#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "collectives/plan/range.hpp"
#include "troupe/group.hpp"

// Combines one vector per rank, of any supported element type, in the fixed tree over the ranks.
namespace troupe {

/// Returns the ranges [0, 1), [1, 2), ..., [size - 1, size): one range for each rank.
std::vector<Range> each_rank(int size);

/// Combines `sources` element by element with `op`, and writes the `count` resulting elements to `out`.
/// @param ranks by source: the ranks that the source covers. Each range is a complete subtree of the fixed tree, and
/// together the ranges cover all ranks in order. If a source covers several ranks, it contains the sum (or the maximum)
/// over these ranks
/// @param sources one pointer per range in `ranks`, to `count` elements; `out` may be equal to one of these pointers
void reduce_elements(ElementType type, ReduceOp op, std::span<const Range> ranks, const std::byte* const* sources,
                     std::size_t count, std::byte* out);

}  // namespace troupe
