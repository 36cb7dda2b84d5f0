#include "runtime/processes/cores.hpp"

#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>

#include "runtime/processes/cgroup.hpp"

namespace troupe {

namespace {

int allowed_cores() {
  cpu_set_t allowed;
  if (::sched_getaffinity(0, sizeof allowed, &allowed) == 0) return std::max(1, CPU_COUNT(&allowed));
  // The kernel's set is longer than ours: a machine of more than 1024 CPUs.
  return static_cast<int>(std::max(1L, ::sysconf(_SC_NPROCESSORS_ONLN)));
}

}  // namespace

int usable_cores() {
  const int allowed = allowed_cores();
  const auto quota = cgroup::Reader().cores();
  return quota ? static_cast<int>(std::min<std::uint64_t>(static_cast<std::uint64_t>(allowed), *quota)) : allowed;
}

}  // namespace troupe
