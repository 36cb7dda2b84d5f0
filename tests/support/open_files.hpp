#pragma once

#include <filesystem>
#include <iterator>
#include <thread>

#include "runtime/clock.hpp"
#include "support/patience.hpp"

namespace troupe_test {

/// How many files this process has open; the one that counts them is among them.
inline std::size_t open_files() {
  const std::filesystem::directory_iterator entries("/proc/self/fd");
  return static_cast<std::size_t>(std::distance(begin(entries), end(entries)));
}

/// Whether as many are open before patience ends.
inline bool comes_to_open_files(std::size_t wanted) {
  const troupe::Clock::time_point until = troupe::Clock::now() + kPatience;
  while (open_files() != wanted && troupe::Clock::now() < until) std::this_thread::yield();
  return open_files() == wanted;
}

}  // namespace troupe_test
