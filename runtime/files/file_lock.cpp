#include "runtime/files/file_lock.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>

#include <cerrno>
#include <thread>

#include "runtime/clock.hpp"
#include "runtime/files/input_file.hpp"
#include "troupe/error.hpp"

namespace troupe {
namespace {

constexpr std::chrono::milliseconds kLookEvery{5};

}  // namespace

FileDescriptor open_lock_file(const std::string& path) {
  constexpr mode_t kOwnerOnly = 0600;
  FileDescriptor file(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, kOwnerOnly));
  if (!file) throw_cannot("write", path);
  ::fchmod(file.get(), kOwnerOnly);  // of one that an earlier version made
  return file;
}

void UnlockAtEnd::release() noexcept {
  const int file = std::exchange(file_, -1);
  if (file >= 0 && owner_.is_this()) ::flock(file, LOCK_UN);
}

bool lock_in_time(int file, std::chrono::milliseconds patience) {
  const Deadline deadline(patience);
  while (::flock(file, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
    if (deadline.passed()) return false;
    std::this_thread::sleep_for(kLookEvery);
  }
  return true;
}

void lock_alone(int file, const std::string& path) {
  constexpr std::chrono::milliseconds kPatience{300};
  if (!lock_in_time(file, kPatience)) throw Error(ErrorCode::in_use, "another run writes to it", {.object = path});
}

}  // namespace troupe
