#pragma once

#include <filesystem>
#include <iterator>

namespace troupe_test {

/// Returns the number of open files of this process. The number includes the file that this function opens to count.
inline std::size_t open_files() {
  const std::filesystem::directory_iterator entries("/proc/self/fd");
  return static_cast<std::size_t>(std::distance(begin(entries), end(entries)));
}

}  // namespace troupe_test
