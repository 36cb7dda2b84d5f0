#pragma once

#include "runtime/clock.hpp"

namespace troupe_test {

/// Stops `Clock` in its thread during the lifetime of this object. Time advances only through calls of this object and
/// when the thread sleeps. Its functions are linked instead of the library's, so the code under test does not notice.
class VirtualTime {
 public:
  VirtualTime();
  ~VirtualTime();
  VirtualTime(const VirtualTime&) = delete;
  VirtualTime& operator=(const VirtualTime&) = delete;

  troupe::Clock::time_point now() const { return now_; }
  /// Never moves time back.
  void move_to(troupe::Clock::time_point moment) { now_ = std::max(now_, moment); }
  void pass(troupe::Clock::duration time) { now_ += time; }

 private:
  troupe::Clock::time_point now_{std::chrono::hours(24)};
};

}  // namespace troupe_test
