#pragma once

#include "runtime/clock.hpp"

namespace troupe_test {

/// While it lives, `Clock` stands still in its thread: it moves when it is moved, and when the thread sleeps. Its
/// functions are linked in the place of the library's, so code under test knows nothing of it.
class VirtualTime {
 public:
  VirtualTime();
  ~VirtualTime();
  VirtualTime(const VirtualTime&) = delete;
  VirtualTime& operator=(const VirtualTime&) = delete;

  troupe::Clock::time_point now() const { return now_; }
  /// Never back.
  void move_to(troupe::Clock::time_point moment) { now_ = std::max(now_, moment); }
  void pass(troupe::Clock::duration time) { now_ += time; }

 private:
  troupe::Clock::time_point now_{std::chrono::hours(24)};
};

}  // namespace troupe_test
