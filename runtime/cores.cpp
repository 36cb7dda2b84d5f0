#include "runtime/cores.hpp"

#include <sched.h>
#include <unistd.h>

#include <algorithm>

namespace troupe {

int usable_cores() {
  cpu_set_t allowed;
  if (::sched_getaffinity(0, sizeof allowed, &allowed) == 0) return std::max(1, CPU_COUNT(&allowed));
  // The kernel's set is longer than ours: a machine of more than 1024 CPUs.
  return static_cast<int>(std::max(1L, ::sysconf(_SC_NPROCESSORS_ONLN)));
}

}  // namespace troupe
