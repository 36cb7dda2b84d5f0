#pragma once

#include <sched.h>

#include <vector>

namespace troupe {

/// CPUs that the calling thread, and threads and processes that it starts, may run on, or as many as a cgroup's quota
/// is worth, rounded up; at least 1.
int usable_cores();

/// The CPUs that the calling thread may run on, as many as `usable_cores`, by their numbers.
std::vector<int> usable_core_numbers();

/// Logs a line where workers of this machine ask for more cores than this process may use: they share these.
void note_shared_cores(int workers, int cores_each);

/// While it lives, the calling thread runs on these CPUs alone, and so does for good what it starts meanwhile: there,
/// `usable_cores` is their number. Where the system refuses, it runs where it did.
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
