#pragma once

#include <cstddef>
#include <cstdint>

#include "troupe/group.hpp"

// Arithmetic on elements of any type, in the fixed tree over ranks.
namespace troupe {

/// Makes one of `count` elements of each source. @param sources at least one, in order of rank; `out` may be one of
/// them where it begins at the same element
void reduce_elements(ElementType type, ReduceOp op, const std::byte* const* sources, std::size_t num_sources,
                     std::size_t count, std::byte* out);

}  // namespace troupe
