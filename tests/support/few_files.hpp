#pragma once

#include <fcntl.h>
#include <sys/resource.h>

#include <algorithm>
#include <vector>

#include "runtime/file_descriptor.hpp"

namespace troupe_test {

/// Limits the number of open files of this process during the lifetime of this object.
class FileLimit {
 public:
  explicit FileLimit(rlim_t most) {
    ::getrlimit(RLIMIT_NOFILE, &before_);
    const rlimit few{most, before_.rlim_max};
    ::setrlimit(RLIMIT_NOFILE, &few);
  }
  FileLimit(const FileLimit&) = delete;
  FileLimit& operator=(const FileLimit&) = delete;
  ~FileLimit() { ::setrlimit(RLIMIT_NOFILE, &before_); }

 private:
  rlimit before_{};
};

/// Opens files until this process can open only `free` more. The files are closed at the end of this object's lifetime.
class FewFiles {
 public:
  explicit FewFiles(std::size_t free) {
    while (const int file = another()) taken_.emplace_back(file);
    taken_.resize(taken_.size() - std::min(free, taken_.size()));
  }

 private:
  /// Returns a new file descriptor, or 0 if the limit is reached.
  static int another() {
    const int file = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
    return file < 0 ? 0 : file;
  }

  FileLimit limit_{256};
  std::vector<troupe::FileDescriptor> taken_;
};

}  // namespace troupe_test
