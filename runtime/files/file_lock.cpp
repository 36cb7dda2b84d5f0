#include "runtime/files/file_lock.hpp"

#include <sys/file.h>

#include <cerrno>
#include <thread>

#include "runtime/clock.hpp"

namespace troupe {
namespace {

constexpr std::chrono::milliseconds kLookEvery{5};

}  // namespace

bool lock_in_time(int file, std::chrono::milliseconds patience) {
  const Deadline deadline(patience);
  while (::flock(file, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
    if (deadline.passed()) return false;
    std::this_thread::sleep_for(kLookEvery);
  }
  return true;
}

}  // namespace troupe
