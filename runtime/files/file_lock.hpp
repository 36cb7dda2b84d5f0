#pragma once

#include <chrono>
#include <string>
#include <utility>

#include "runtime/file_descriptor.hpp"
#include "runtime/fork/owning_process.hpp"

namespace troupe {

/// Opens the lock file at `path`, or creates it. Only the owner of the file can open it (mode 0600), because any user
/// that can open a file could lock it.
/// @throws Error bad_file
FileDescriptor open_lock_file(const std::string& path);

/// Releases the lock of an open file when this object is destroyed, while the file is still open. Closing the file
/// would not be enough: a child made by fork has the same open file, and keeps the lock.
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
  /// Returns whether there is a lock to release, and this process, not a parent that forked it, made this object.
  bool is_owner() const noexcept { return file_ >= 0 && owner_.is_this(); }

 private:
  int file_ = -1;
  OwningProcess owner_;
};

/// Locks an open file for this process. If another process holds the lock, waits at most `time` for the release. A
/// process that is killed while it starts another process leaves its lock to the new process until that calls exec, so
/// a short wait is useful. Returns false if the file is still locked by another process. Returns true on file systems
/// without locks.
bool lock_in_time(int file, std::chrono::milliseconds time);

/// Locks a file that other users may read. Such users could also lock the file itself. The lock is therefore on a
/// separate file ".NAME.lock" in the same folder, which only its owner can open. Releasing the lock removes the
/// separate file. If the separate file cannot be made, locks the file itself.
class LockBeside {
 public:
  LockBeside() = default;
  /// @param file the open file, which must stay open for the lifetime of this object
  /// @param path the path of that file
  /// @param time how long to wait for another process, as in `lock_in_time`
  /// @param why the message of the error if another process keeps the lock
  /// @throws Error in_use that names the file
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
