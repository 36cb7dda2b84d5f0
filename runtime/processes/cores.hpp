#pragma once

#include <sched.h>

#include <vector>

namespace troupe {

/// Returns how many CPUs the calling thread can use, together with the threads and processes that it starts. The result
/// is the number of CPUs on which the thread may run. If the CPU quota of a cgroup, rounded up, is less, the quota is
/// the result. The result is at least 1.
int usable_cores();

/// Returns the numbers of the CPUs on which the calling thread may run. If there are more than `usable_cores()` such
/// CPUs, returns the lowest `usable_cores()` numbers.
std::vector<int> usable_core_numbers();

/// Logs a line if this process may use fewer than `workers * cores_each` cores: the workers then share cores.
/// @param workers number of workers of this machine
/// @param cores_each number of cores that each worker needs
void note_shared_cores(int workers, int cores_each);

/// Restricts the calling thread to the CPUs with the given numbers for the lifetime of this object. Threads and
/// processes that the thread starts in this time inherit the restriction, and keep it after the object's end. In a
/// restricted thread or process, `usable_cores` counts only the given CPUs. Has no effect if the system refuses the
/// restriction.
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
