#pragma once

#include <fcntl.h>
#include <sys/resource.h>

#include <algorithm>
#include <vector>

#include "runtime/file_descriptor.hpp"

namespace troupe_test {

/// Leaves this process room for so many more files, until the end of this object.
class FewFiles {
 public:
  explicit FewFiles(std::size_t free) {
    ::getrlimit(RLIMIT_NOFILE, &before_);
    const rlimit few{256, before_.rlim_max};
    ::setrlimit(RLIMIT_NOFILE, &few);
    while (const int file = another()) taken_.emplace_back(file);
    taken_.resize(taken_.size() - std::min(free, taken_.size()));
  }
  FewFiles(const FewFiles&) = delete;
  FewFiles& operator=(const FewFiles&) = delete;
  ~FewFiles() { ::setrlimit(RLIMIT_NOFILE, &before_); }

 private:
  /// 0 when there is none left.
  static int another() {
    const int file = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
    return file < 0 ? 0 : file;
  }

  rlimit before_{};
  std::vector<troupe::FileDescriptor> taken_;
};

}  // namespace troupe_test
