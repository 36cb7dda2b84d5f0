#pragma once

#include <algorithm>
#include <chrono>

namespace troupe {

/// The steady clock, which deadlines and pauses of Troupe's loops use. The library has `now` and `sleep_for` in an
/// object file of their own. A program can therefore link its own definitions, for example tests that run in virtual
/// time.
struct Clock {
  // NOLINTBEGIN(readability-identifier-naming): names that the standard library requires of a clock
  using duration = std::chrono::steady_clock::duration;
  using rep = duration::rep;
  using period = duration::period;
  using time_point = std::chrono::steady_clock::time_point;
  static constexpr bool is_steady = true;
  // NOLINTEND(readability-identifier-naming)

  static time_point now() noexcept;
  static void sleep_for(duration time);
};

/// Measures the time since construction or the last call of `lap`.
class Stopwatch {
 public:
  /// Returns the measured time in seconds.
  double seconds() const { return std::chrono::duration<double>(Clock::now() - start_).count(); }
  /// Returns the measured time in seconds, and starts to measure from 0 again.
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
  /// Makes a deadline that is `from_now` after the present. Times longer than a year count as a year, because larger
  /// sums could overflow. A negative time makes a deadline that has already passed.
  explicit Deadline(std::chrono::milliseconds from_now)
      : at_(Clock::now() +
            std::clamp<std::chrono::milliseconds>(from_now, std::chrono::hours(-1), std::chrono::hours(24 * 365))) {}

  /// Returns a deadline a year from now, which in practice does not pass.
  static Deadline never() { return Deadline(std::chrono::milliseconds::max()); }

  Clock::time_point at() const { return at_; }
  bool passed() const { return Clock::now() >= at_; }
  /// Returns a deadline after four fifths of the remaining time. A member that works for a requester with this deadline
  /// waits for other members until the earlier one. It then has time left to report which member did not answer, before
  /// the requester gives up.
  Deadline earlier() const { return Deadline(left() * 4 / 5); }
  /// Returns this deadline, moved by `by` into the future.
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
