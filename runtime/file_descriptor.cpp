#include "runtime/file_descriptor.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>

#include "runtime/processes/limits.hpp"

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

void throw_errno(const char* what) { throw_refused(what, errno); }

}  // namespace troupe
