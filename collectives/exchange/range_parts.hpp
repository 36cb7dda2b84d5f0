#pragma once

#include <cstddef>
#include <vector>

#include "collectives/plan/range.hpp"

// If there are more cores than replicas, several threads apply a slice, each thread a part of it. The new value of a
// float does not depend on other floats, so the division does not change results.
namespace troupe {

/// Divides a range into consecutive parts, cut at page boundaries, and returns at most `threads` parts. Each part has
/// at least 64 pages (256 KB), so a range below 512 KB is not divided. The last part contains all floats from
/// `learned_size` on, which are statistics. The model updates statistics, and only the replica's own thread may call
/// the model; this thread must therefore process the last part.
std::vector<Range> parts_of(const Range& range, std::size_t learned_size, int threads);

}  // namespace troupe
