#pragma once

namespace troupe {

/// CPUs that the calling thread, and threads and processes that it starts, may run on, or as many as a cgroup's quota
/// is worth, rounded up; at least 1.
int usable_cores();

}  // namespace troupe
