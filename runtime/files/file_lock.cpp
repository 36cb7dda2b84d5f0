#include "runtime/files/file_lock.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <thread>

#include "runtime/clock.hpp"
#include "runtime/files/input_file.hpp"
#include "troupe/error.hpp"

namespace troupe {
namespace {

constexpr std::chrono::milliseconds kLookEvery{5};
constexpr mode_t kOwnerOnly = 0600;

/// None where it cannot be made, or is another user's.
FileDescriptor open_own(const std::string& path) {
  FileDescriptor file(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, kOwnerOnly));
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

LockBeside::LockBeside(int file, const std::string& path, std::chrono::milliseconds patience, const char* why) {
  const std::filesystem::path whole(path);
  std::string beside = whole.parent_path() / ("." + whole.filename().string() + ".lock");
  const Deadline deadline(patience);
  do {
    FileDescriptor made = open_own(beside);
    if (!made) {
      beside.clear();
      break;
    }
    if (!lock_in_time(made.get(), deadline.left())) throw Error(ErrorCode::in_use, why, {.object = path});
    if (is_still_there(made.get(), beside)) file_ = std::move(made);  // else its owner has just removed it
  } while (!file_);
  if (beside.empty() && !lock_in_time(file, patience)) throw Error(ErrorCode::in_use, why, {.object = path});
  unlock_ = UnlockAtEnd(beside.empty() ? file : file_.get());
  beside_ = std::move(beside);
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
