#pragma once

#include <fcntl.h>
#include <sys/resource.h>

#include <algorithm>
#include <vector>

#include "runtime/file_descriptor.hpp"

namespace troupe_test {

/// Lets this process have so many files at most, until the end of this object.
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

/// Leaves this process room for so many more files, until the end of this object.
class FewFiles {
 public:
  explicit FewFiles(std::size_t free) {
    while (const int file = another()) taken_.emplace_back(file);
    taken_.resize(taken_.size() - std::min(free, taken_.size()));
  }

 private:
  /// 0 when there is none left.
  static int another() {
    const int file = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
    return file < 0 ? 0 : file;
  }

  FileLimit limit_{256};
  std::vector<troupe::FileDescriptor> taken_;
};

}  // namespace troupe_test
