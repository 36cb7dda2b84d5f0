#pragma once

#include <chrono>
#include <string>
#include <utility>

#include "runtime/file_descriptor.hpp"
#include "runtime/fork/owning_process.hpp"

namespace troupe {

/// Opens a lock file, or creates it, with access for its owner only: any user that can open a file can lock it.
/// @throws Error bad_file
FileDescriptor open_lock_file(const std::string& path);

/// Releases the lock of an open file at the end of its lifetime, before the file is closed. Closing alone is not
/// enough: a child made by fork also holds the file open, and with it the lock.
class UnlockAtEnd {
 public:
  UnlockAtEnd() = default;
  /// @param file must stay open for the lifetime of this object
  explicit UnlockAtEnd(int file) : file_(file) {}
  UnlockAtEnd(UnlockAtEnd&& other) noexcept : file_(std::exchange(other.file_, -1)), owner_(other.owner_) {}
  UnlockAtEnd& operator=(UnlockAtEnd&& other) noexcept {
    std::swap(file_, other.file_);
    std::swap(owner_, other.owner_);
    return *this;
  }
  ~UnlockAtEnd() { release(); }

  /// Releases the lock now.
  void release() noexcept;
  /// Returns whether this process holds a lock to release.
  bool is_owner() const noexcept { return file_ >= 0 && owner_.is_this(); }

 private:
  int file_ = -1;
  OwningProcess owner_;
};

/// Locks an open file; waits at most `time` for the current holder. (If a process is killed while it starts another
/// process, the new process holds the lock until its exec.) Returns false if the file is still locked. On file systems
/// without locks, returns true.
bool lock_in_time(int file, std::chrono::milliseconds time);

/// Locks a file that other users may read. They could lock the file itself, so the lock is on ".NAME.lock" beside it,
/// which only its owner can open and which is removed with the lock. If that file cannot be made, locks the file
/// itself.
class LockBeside {
 public:
  LockBeside() = default;
  /// @param file must stay open for the lifetime of this object. @param time as in `lock_in_time`.
  /// @param why the message of the error if the file is locked
  /// @throws Error in_use that names the file
  LockBeside(int file, const std::string& path, std::chrono::milliseconds time, const char* why);
  LockBeside(LockBeside&&) noexcept = default;
  LockBeside& operator=(LockBeside&& other) noexcept;
  ~LockBeside() { release(); }

  /// Releases the lock now.
  void release() noexcept;

 private:
  std::string beside_;  ///< empty: the file itself is locked
  FileDescriptor file_;
  UnlockAtEnd unlock_;
};

}  // namespace troupe
