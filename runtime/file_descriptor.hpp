#pragma once

#include <utility>

namespace troupe {

/// Owns a file descriptor, and closes it when the object is destroyed.
class FileDescriptor {
 public:
  FileDescriptor() = default;
  explicit FileDescriptor(int fd) : fd_(fd) {}
  FileDescriptor(FileDescriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  FileDescriptor& operator=(FileDescriptor&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  ~FileDescriptor() { reset(); }

  int get() const { return fd_; }
  /// Gives up ownership of the descriptor, and returns the descriptor, which stays open.
  int release() { return std::exchange(fd_, -1); }
  /// Closes the descriptor now.
  void reset();
  explicit operator bool() const { return fd_ >= 0; }

 private:
  int fd_ = -1;
};

/// Returns a duplicate of a descriptor. The duplicate is closed in programs that this process starts (close-on-exec).
/// @throws Error system, limit_reached
FileDescriptor duplicate(int fd);

/// Throws an Error with the text of `errno`: limit_reached if descriptors or memory ran out, otherwise system.
/// @param what the operation that failed, such as "pipe"
[[noreturn]] void throw_errno(const char* what);

}  // namespace troupe
