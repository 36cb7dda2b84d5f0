#pragma once

#include <sched.h>

#include <vector>

namespace troupe {

/// Returns the number of CPUs on which the calling thread, and threads and processes that it starts, may run. A
/// cgroup's CPU quota, rounded up, limits the number. At least 1.
int usable_cores();

/// Returns the numbers of the CPUs on which the calling thread may run, at most `usable_cores` of them.
std::vector<int> usable_core_numbers();

/// Logs a line if the workers of this machine need more cores than this process may use, so that they share cores.
void note_shared_cores(int workers, int cores_each);

/// Restricts the calling thread to these CPUs for the lifetime of the object. Threads and processes that are started
/// meanwhile stay restricted, and their `usable_cores` is the number of these CPUs. If the system refuses, has no
/// effect.
class PinnedThread {
 public:
  explicit PinnedThread(const std::vector<int>& cores);
  ~PinnedThread();
  PinnedThread(const PinnedThread&) = delete;
  PinnedThread& operator=(const PinnedThread&) = delete;

 private:
  cpu_set_t before_{};
  bool pinned_ = false;
};

}  // namespace troupe
