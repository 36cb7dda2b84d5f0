#pragma once

#include <chrono>
#include <string>
#include <utility>

#include "runtime/file_descriptor.hpp"
#include "runtime/fork/owning_process.hpp"

namespace troupe {

/// Opens, or makes, a file that is there to be locked, for its owner alone: who can open one can lock it.
/// @throws Error bad_file
FileDescriptor open_lock_file(const std::string& path);

/// Gives up the lock of an open file at the end, before the file is closed. Closing is not enough: a child made by fork
/// holds the file open, and with it the lock.
class UnlockAtEnd {
 public:
  UnlockAtEnd() = default;
  /// @param file stays open as long as this lives
  explicit UnlockAtEnd(int file) : file_(file) {}
  UnlockAtEnd(UnlockAtEnd&& other) noexcept : file_(std::exchange(other.file_, -1)), owner_(other.owner_) {}
  UnlockAtEnd& operator=(UnlockAtEnd&& other) noexcept {
    std::swap(file_, other.file_);
    std::swap(owner_, other.owner_);
    return *this;
  }
  ~UnlockAtEnd() { release(); }

  /// Does so now.
  void release() noexcept;
  /// Whether it has a lock to give up, in this process.
  bool is_owner() const noexcept { return file_ >= 0 && owner_.is_this(); }

 private:
  int file_ = -1;
  OwningProcess owner_;
};

/// Takes the lock of an open file, waiting at most so long for who has it: a process that was killed while it started
/// another leaves its lock to that one until its exec. False where somebody keeps it; where files cannot be locked,
/// nobody is kept out.
bool lock_in_time(int file, std::chrono::milliseconds time);

/// The lock of a file that others may read. They could lock it themselves, so what is locked is ".NAME.lock" beside it,
/// which is for its owner alone, and is removed with the lock; where that cannot be made, the file itself.
class LockBeside {
 public:
  LockBeside() = default;
  /// @param file open as long as this lives. @param time as `lock_in_time`'s. @param why the file is not free
  /// @throws Error in_use that names the file
  LockBeside(int file, const std::string& path, std::chrono::milliseconds time, const char* why);
  LockBeside(LockBeside&&) noexcept = default;
  LockBeside& operator=(LockBeside&& other) noexcept;
  ~LockBeside() { release(); }

  /// Does so now.
  void release() noexcept;

 private:
  std::string beside_;  ///< empty: the file itself is locked
  FileDescriptor file_;
  UnlockAtEnd unlock_;
};

}  // namespace troupe
