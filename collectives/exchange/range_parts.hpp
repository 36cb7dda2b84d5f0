#pragma once

#include <cstddef>
#include <vector>

#include "collectives/plan/range.hpp"

// If there are more cores than replicas, several threads apply a slice. The result for each float depends on no other
// float.
namespace troupe {

/// Divides a range into parts of whole pages, at most one per thread. A range below half a megabyte is not divided. The
/// last part contains the floats from `learned_size` on, because only the replica's own thread may call the model.
std::vector<Range> parts_of(const Range& range, std::size_t learned_size, int threads);

}  // namespace troupe
