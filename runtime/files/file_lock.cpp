#include "runtime/files/file_lock.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>

#include "runtime/clock.hpp"
#include "runtime/files/input_file.hpp"
#include "troupe/error.hpp"

namespace troupe {
namespace {

constexpr std::chrono::milliseconds kLookEvery{5};
constexpr mode_t kOwnerOnly = 0600;

FileDescriptor open_for_owner(const std::string& path) {
  return FileDescriptor(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, kOwnerOnly));
}

/// Opens or creates a file that only this user can access. Returns none if the file cannot be made, is not a regular
/// file, or is accessible to another user.
FileDescriptor open_own(const std::string& path) {
  FileDescriptor file = open_for_owner(path);
  struct stat status {};
  const bool own = file && ::fstat(file.get(), &status) == 0 && status.st_uid == ::geteuid() &&
                   S_ISREG(status.st_mode) && (status.st_mode & 077) == 0;
  return own ? std::move(file) : FileDescriptor();
}

bool is_still_there(int file, const std::string& path) {
  struct stat open {};
  struct stat there {};
  return ::fstat(file, &open) == 0 && ::lstat(path.c_str(), &there) == 0 && open.st_ino == there.st_ino &&
         open.st_dev == there.st_dev;
}

}  // namespace

FileDescriptor open_lock_file(const std::string& path) {
  FileDescriptor file = open_for_owner(path);
  if (!file) throw_cannot("write", path);
  ::fchmod(file.get(), kOwnerOnly);  // an earlier version made such files with another mode
  return file;
}

void UnlockAtEnd::release() noexcept {
  const int file = std::exchange(file_, -1);
  if (file >= 0 && owner_.is_this()) ::flock(file, LOCK_UN);
}

bool lock_in_time(int file, std::chrono::milliseconds time) {
  const Deadline deadline(time);
  while (::flock(file, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
    if (deadline.passed()) return false;
    Clock::sleep_for(kLookEvery);
  }
  return true;
}

LockBeside::LockBeside(int file, const std::string& path, std::chrono::milliseconds time, const char* why) {
  const std::filesystem::path whole(path);
  beside_ = whole.parent_path() / ("." + whole.filename().string() + ".lock");
  const Deadline deadline(time);
  int locked = file;
  do {
    file_ = open_own(beside_);
    locked = file_ ? file_.get() : file;
    if (!lock_in_time(locked, deadline.left())) throw Error(ErrorCode::in_use, why, {.object = path});
  } while (file_ && !is_still_there(locked, beside_));  // retries if the previous owner has just removed the file
  if (!file_) beside_.clear();
  unlock_ = UnlockAtEnd(locked);
}

LockBeside& LockBeside::operator=(LockBeside&& other) noexcept {
  std::swap(beside_, other.beside_);
  std::swap(file_, other.file_);
  std::swap(unlock_, other.unlock_);
  return *this;
}

void LockBeside::release() noexcept {
  const std::string beside = std::exchange(beside_, {});
  if (!beside.empty() && unlock_.is_owner()) ::unlink(beside.c_str());
  unlock_.release();
}

}  // namespace troupe
