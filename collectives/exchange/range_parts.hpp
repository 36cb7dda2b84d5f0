#pragma once

#include <cstddef>
#include <vector>

#include "collectives/plan/range.hpp"

// If there are more cores than replicas, several threads apply a slice, and each thread applies a part of the slice.
// The new value of a float does not depend on other floats, so the division into parts does not change results.
namespace troupe {

/// Divides `range` into at most `threads` consecutive parts, and returns the parts. The borders between parts are page
/// boundaries. Each part has at least 64 pages (256 KiB), so a range below 512 KiB is not divided. The last part
/// contains all floats from the index `learned_size` on, which are statistics. The replica's own thread must process
/// the last part, because the model updates statistics, and only this thread may call the model.
std::vector<Range> parts_of(const Range& range, std::size_t learned_size, int threads);

}  // namespace troupe
