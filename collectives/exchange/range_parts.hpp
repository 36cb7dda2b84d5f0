#pragma once

#include <cstddef>
#include <functional>
#include <vector>

#include "collectives/plan/range.hpp"

// A slice is applied by several threads where there are more cores than replicas: what becomes of a float depends on no
// other.
namespace troupe {

/// Whole pages of the range, for so many threads; of less than some megabytes, as they are. What lies from
/// `learned_size` on is in the last one, since the model is asked for it, by one thread.
std::vector<Range> parts_of(const Range& range, std::size_t learned_size, int threads);

/// Does the work on all parts, the last on the caller's thread, and each other on a thread of its own as far as the
/// machine gives any. Returns, or throws what the first of those that failed has thrown, when all have ended.
void work_on(std::size_t parts, const std::function<void(std::size_t part)>& work);

}  // namespace troupe
