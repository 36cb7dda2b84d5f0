#pragma once

#include <cstddef>
#include <vector>

#include "collectives/plan/range.hpp"

// A slice is applied by several threads where there are more cores than replicas: what becomes of a float depends on no
// other.
namespace troupe {

/// Whole pages of the range, for so many threads; of less than half a megabyte, as they are. What lies from
/// `learned_size` on is in the last one, since the model is asked for it, by its own thread.
std::vector<Range> parts_of(const Range& range, std::size_t learned_size, int threads);

}  // namespace troupe
