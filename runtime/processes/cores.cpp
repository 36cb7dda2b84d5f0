#include "runtime/processes/cores.hpp"

#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <string>

#include "runtime/log.hpp"
#include "runtime/processes/cgroup.hpp"

namespace troupe {

namespace {

int allowed_cores() {
  cpu_set_t allowed;
  if (::sched_getaffinity(0, sizeof allowed, &allowed) == 0) return std::max(1, CPU_COUNT(&allowed));
  // The call fails on a machine with more than 1,024 CPUs, because the kernel's set is then longer than cpu_set_t.
  return static_cast<int>(std::max(1L, ::sysconf(_SC_NPROCESSORS_ONLN)));
}

}  // namespace

int usable_cores() {
  const int allowed = allowed_cores();
  const auto quota = cgroup::Reader().cores();
  return quota ? static_cast<int>(std::min<std::uint64_t>(static_cast<std::uint64_t>(allowed), *quota)) : allowed;
}

std::vector<int> usable_core_numbers() {
  const auto most = static_cast<std::size_t>(usable_cores());
  std::vector<int> numbers;
  cpu_set_t allowed;
  const bool known = ::sched_getaffinity(0, sizeof allowed, &allowed) == 0;
  for (int cpu = 0; numbers.size() < most && (!known || cpu < CPU_SETSIZE); ++cpu)
    if (!known || CPU_ISSET(cpu, &allowed)) numbers.push_back(cpu);
  return numbers;
}

void note_shared_cores(int workers, int cores_each) {
  const int cores = usable_cores();
  if (std::int64_t{workers} * cores_each <= cores) return;
  const std::string each = cores_each > 1 ? " of " + std::to_string(cores_each) + " cores each" : "";
  log_line(LogLevel::info, std::to_string(workers) + " workers" + each + " share " + std::to_string(cores) +
                               (cores == 1 ? " core" : " cores") + " and take turns on them");
}

PinnedThread::PinnedThread(const std::vector<int>& cores) {
  cpu_set_t wanted;
  CPU_ZERO(&wanted);
  for (const int cpu : cores)
    if (cpu >= 0 && cpu < CPU_SETSIZE) CPU_SET(cpu, &wanted);
  pinned_ = ::sched_getaffinity(0, sizeof before_, &before_) == 0 && CPU_COUNT(&wanted) > 0 &&
            ::sched_setaffinity(0, sizeof wanted, &wanted) == 0;
}

PinnedThread::~PinnedThread() {
  if (pinned_) ::sched_setaffinity(0, sizeof before_, &before_);
}

}  // namespace troupe
