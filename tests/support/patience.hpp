#pragma once

#include <algorithm>
#include <chrono>
#include <thread>

#include "runtime/clock.hpp"

namespace troupe_test {

#if defined(TROUPE_SANITIZED)
inline constexpr bool kSanitized = true;  // a process takes a second to start, and loops run ten times as long
#else
inline constexpr bool kSanitized = false;
#endif

#ifdef __SANITIZE_THREAD__
inline constexpr bool kThreadSanitized = true;  // loops run up to a hundred times as long
#else
inline constexpr bool kThreadSanitized = false;
#endif

/// How long a test waits for what must come, however busy the machine is: only a test that fails waits so long.
inline constexpr std::chrono::seconds kPatience{180};

/// When patience ends.
inline troupe::Deadline soon() { return troupe::Deadline(kPatience); }

/// Asks until it holds; false when patience ends.
template <class Condition>
bool comes_true(Condition condition) {
  const troupe::Deadline deadline = soon();
  for (; !condition(); std::this_thread::yield())
    if (deadline.passed()) return false;
  return true;
}

/// A deadline for what takes about as long as `sample`, which none misses that goes on at all.
template <class Sample>
std::chrono::milliseconds generous_deadline(Sample sample) {
  const troupe::Stopwatch watch;
  sample();
  const std::chrono::duration<double> took(watch.seconds());
  return std::max(std::chrono::milliseconds(500), std::chrono::duration_cast<std::chrono::milliseconds>(20 * took));
}

}  // namespace troupe_test
