#pragma once

#include <sched.h>

#include <vector>

namespace troupe {

/// Returns how many CPUs the calling thread, and threads and processes that it starts, can use: the number of CPUs on
/// which they may run, or the CPU quota of a cgroup, rounded up, if that is less. At least 1.
int usable_cores();

/// Returns the numbers of the CPUs on which the calling thread may run, at most `usable_cores` of them.
std::vector<int> usable_core_numbers();

/// Logs a line if this process may use fewer cores than the workers of this machine need together, because the workers
/// must then share cores.
/// @param cores_each number of cores that each worker needs
void note_shared_cores(int workers, int cores_each);

/// Restricts the calling thread to the CPUs with the given numbers for the lifetime of the object. Threads and
/// processes that the thread starts in this time stay restricted to them after it, and `usable_cores` returns at most
/// the number of these CPUs there. Has no effect if the system refuses the restriction.
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
