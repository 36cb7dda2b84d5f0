#pragma once

#include <algorithm>
#include <chrono>
#include <thread>

#include "runtime/clock.hpp"

namespace troupe_test {

#if defined(TROUPE_SANITIZED)
inline constexpr bool kSanitized = true;  // starting a process takes a second, and loops take ten times as long
#else
inline constexpr bool kSanitized = false;
#endif

#ifdef __SANITIZE_THREAD__
inline constexpr bool kThreadSanitized = true;  // loops take up to a hundred times as long
#else
inline constexpr bool kThreadSanitized = false;
#endif

/// Timeout of a test for an event that must happen. The timeout is long because the machine may be busy. Only a test
/// that fails waits for so long.
inline constexpr std::chrono::seconds kPatience{180};

/// Returns a deadline at the end of kPatience.
inline troupe::Deadline soon() { return troupe::Deadline(kPatience); }

/// Evaluates `condition` every few milliseconds until it is true. Returns false if it is still false after `timeout`.
/// For events that cannot be waited for, such as a change of another process.
template <class Condition>
bool comes_true(Condition condition, std::chrono::milliseconds timeout = kPatience) {
  const troupe::Deadline deadline(timeout);
  for (; !condition(); std::this_thread::sleep_for(std::chrono::milliseconds(2)))
    if (deadline.passed()) return false;
  return true;
}

/// Returns a deadline for work that takes about as long as `sample`: 20 times as long, and at least 500 ms.
template <class Sample>
std::chrono::milliseconds generous_deadline(Sample sample) {
  const troupe::Stopwatch watch;
  sample();
  const std::chrono::duration<double> took(watch.seconds());
  return std::max(std::chrono::milliseconds(500), std::chrono::duration_cast<std::chrono::milliseconds>(20 * took));
}

}  // namespace troupe_test
