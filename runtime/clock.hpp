#pragma once

#include <algorithm>
#include <chrono>

namespace troupe {

/// The steady clock, which deadlines and pauses of Troupe's loops use. `now` and `sleep_for` are a separate object in
/// the library, so that a program can link its own, such as tests that run in virtual time.
struct Clock {
  // NOLINTBEGIN(readability-identifier-naming): as the standard library calls them
  using duration = std::chrono::steady_clock::duration;
  using rep = duration::rep;
  using period = duration::period;
  using time_point = std::chrono::steady_clock::time_point;
  static constexpr bool is_steady = true;
  // NOLINTEND(readability-identifier-naming)

  static time_point now() noexcept;
  static void sleep_for(duration time);
};

/// Seconds since construction or the last `lap()`.
class Stopwatch {
 public:
  double seconds() const { return std::chrono::duration<double>(Clock::now() - start_).count(); }
  double lap() {
    const auto now = Clock::now();
    const double passed = std::chrono::duration<double>(now - start_).count();
    start_ = now;
    return passed;
  }

 private:
  Clock::time_point start_ = Clock::now();
};

/// A point in time by which something must be done.
class Deadline {
 public:
  /// Limits `from_now` to a year, so that it cannot overflow. A negative value gives a deadline that has passed.
  explicit Deadline(std::chrono::milliseconds from_now)
      : at_(Clock::now() +
            std::clamp<std::chrono::milliseconds>(from_now, std::chrono::hours(-1), std::chrono::hours(24 * 365))) {}

  /// A deadline that does not pass.
  static Deadline never() { return Deadline(std::chrono::milliseconds::max()); }

  Clock::time_point at() const { return at_; }
  bool passed() const { return Clock::now() >= at_; }
  /// A deadline after four fifths of the remaining time. A peer that gives up at this deadline can still report which
  /// peer it waited for, before the peer that waits for it gives up.
  Deadline earlier() const { return Deadline(left() * 4 / 5); }
  Deadline later(Clock::duration by) const {
    Deadline moved = *this;
    moved.at_ += by;
    return moved;
  }
  /// Returns the remaining time: never negative, and rounded up, so that waiting this long reaches the deadline.
  std::chrono::milliseconds left() const {
    return std::max(std::chrono::milliseconds(0), std::chrono::ceil<std::chrono::milliseconds>(at_ - Clock::now()));
  }

 private:
  Clock::time_point at_;
};

}  // namespace troupe
