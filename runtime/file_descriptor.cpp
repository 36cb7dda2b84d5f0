#include "runtime/file_descriptor.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <string>
#include <system_error>

#include "troupe/error.hpp"

namespace troupe {

void FileDescriptor::reset() {
  if (fd_ >= 0) ::close(fd_);
  fd_ = -1;
}

FileDescriptor duplicate(int fd) {
  FileDescriptor copy(::fcntl(fd, F_DUPFD_CLOEXEC, 0));
  if (!copy) throw_errno("fcntl");
  return copy;
}

void throw_errno(const char* what) {
  const int error = errno;
  throw Error(ErrorCode::system, std::string(what) + ": " + std::generic_category().message(error));
}

}  // namespace troupe
