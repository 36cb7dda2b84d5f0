#pragma once

#include <chrono>
#include <string>
#include <utility>

#include "runtime/file_descriptor.hpp"
#include "runtime/fork/owning_process.hpp"

namespace troupe {

/// Opens the lock file at `path`, or creates the file. The file has mode 0600: only its owner can open it, because any
/// user that can open a file can also lock it.
/// @throws Error bad_file
FileDescriptor open_lock_file(const std::string& path);

/// Releases the lock of an open file when this object is destroyed; the file must still be open then. To close the file
/// would not be enough, because a child made by fork shares the open file, and so the lock.
class UnlockAtEnd {
 public:
  UnlockAtEnd() = default;
  /// @param file a locked file, which must stay open for the lifetime of this object
  explicit UnlockAtEnd(int file) : file_(file) {}
  UnlockAtEnd(UnlockAtEnd&& other) noexcept : file_(std::exchange(other.file_, -1)), owner_(other.owner_) {}
  UnlockAtEnd& operator=(UnlockAtEnd&& other) noexcept {
    std::swap(file_, other.file_);
    std::swap(owner_, other.owner_);
    return *this;
  }
  ~UnlockAtEnd() { release(); }

  /// Releases the lock now, if this process has it.
  void release() noexcept;
  /// Returns whether `release` would release a lock: this object has one, and was made by this process. In a child made
  /// by fork, the result is false, because the lock belongs to the parent.
  bool is_owner() const noexcept { return file_ >= 0 && owner_.is_this(); }

 private:
  int file_ = -1;
  OwningProcess owner_;
};

/// Locks an open file for this process. If another process holds the lock, waits at most `time` for the release.
/// Returns whether the lock was obtained; on file systems without locks, returns true. A short wait is useful even if
/// the previous owner of the lock was killed: a child that it had just forked keeps the lock until the child calls
/// exec.
bool lock_in_time(int file, std::chrono::milliseconds time);

/// A lock for a file NAME that other users may read. A user who can read a file can also lock it. The lock is therefore
/// on a separate file ".NAME.lock" in the same folder, which only its owner can open. The separate file is removed when
/// the lock is released. If the separate file cannot be made, NAME itself is locked.
class LockBeside {
 public:
  LockBeside() = default;
  /// @param file the open file, which must stay open for the lifetime of this object
  /// @param path the path of that file
  /// @param time the maximum time to wait for another process that holds the lock
  /// @param why the message of the error if another process keeps the lock
  /// @throws Error in_use with `why` and `path`, if another process still holds the lock after `time`
  LockBeside(int file, const std::string& path, std::chrono::milliseconds time, const char* why);
  LockBeside(LockBeside&&) noexcept = default;
  LockBeside& operator=(LockBeside&& other) noexcept;
  ~LockBeside() { release(); }

  /// Releases the lock now.
  void release() noexcept;

 private:
  std::string beside_;  ///< path of the separate file; empty: the file itself is locked
  FileDescriptor file_;
  UnlockAtEnd unlock_;
};

}  // namespace troupe
