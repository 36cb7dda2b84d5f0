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

 private:
  int file_ = -1;
  OwningProcess owner_;
};

/// Takes the lock of an open file, waiting at most so long for who has it: a process that was killed while it started
/// another leaves its lock to that one until its exec. False where somebody keeps it; where files cannot be locked,
/// nobody is kept out.
bool lock_in_time(int file, std::chrono::milliseconds patience);

/// The same for a file to which one run writes at a time. @throws Error in_use that names the file
void lock_alone(int file, const std::string& path);

}  // namespace troupe
