#include "actors/schedules/virtual_time.hpp"

#include <ctime>

namespace {

thread_local troupe_test::VirtualTime* virtual_time = nullptr;

}  // namespace

// What the linker's --wrap calls instead of `X` is `__wrap_X`, and what was called before is `__real_X`.
// NOLINTBEGIN(bugprone-reserved-identifier, readability-identifier-naming)
extern "C" {

std::int64_t __real__ZNSt6chrono3_V212steady_clock3nowEv();
std::int64_t __wrap__ZNSt6chrono3_V212steady_clock3nowEv() {
  if (virtual_time == nullptr) return __real__ZNSt6chrono3_V212steady_clock3nowEv();
  return virtual_time->now().time_since_epoch().count();
}

int __real_nanosleep(const timespec* time, timespec* left);
int __wrap_nanosleep(const timespec* time, timespec* left) {
  if (virtual_time == nullptr) return __real_nanosleep(time, left);
  virtual_time->pass(std::chrono::seconds(time->tv_sec) + std::chrono::nanoseconds(time->tv_nsec));
  return 0;
}
}
// NOLINTEND(bugprone-reserved-identifier, readability-identifier-naming)

namespace troupe_test {

VirtualTime::VirtualTime() { virtual_time = this; }
VirtualTime::~VirtualTime() { virtual_time = nullptr; }

}  // namespace troupe_test
