#pragma once

#include <utility>

namespace troupe {

/// Owns a file descriptor and closes it.
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
  int release() { return std::exchange(fd_, -1); }
  void reset();
  explicit operator bool() const { return fd_ >= 0; }

 private:
  int fd_ = -1;
};

/// Duplicates a descriptor. The copy is not inherited by programs that are started (close-on-exec).
/// @throws Error system, limit_reached
FileDescriptor duplicate(int fd);

/// Throws Error system or limit_reached with the text of `errno`. `what` names the operation that failed.
[[noreturn]] void throw_errno(const char* what);

}  // namespace troupe
