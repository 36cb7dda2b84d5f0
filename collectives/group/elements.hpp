#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "collectives/plan/range.hpp"
#include "troupe/group.hpp"

// Arithmetic on elements of any type, in the fixed tree over ranks.
namespace troupe {

/// So many ranks, each by itself.
std::vector<Range> each_rank(int size);

/// Makes one of `count` elements of each source. @param sources one of each of `ranks`, in order; `out` may be one of
/// them where it begins at the same element
/// @param ranks complete subtrees of the tree over ranks, which tile it: of more than one rank their sum, or the
/// largest, is the source
void reduce_elements(ElementType type, ReduceOp op, std::span<const Range> ranks, const std::byte* const* sources,
                     std::size_t count, std::byte* out);

}  // namespace troupe
