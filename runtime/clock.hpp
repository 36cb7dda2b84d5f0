#pragma once

#include <algorithm>
#include <chrono>

namespace troupe {

/// The steady clock. All deadlines and pauses of Troupe use it. A program can define `now` and `sleep_for` itself, for
/// example a test that runs in virtual time. The linker then uses these definitions, because the library has both
/// functions in a separate object file.
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
  /// Makes a deadline that is `from_now` after the present. A time of more than a year counts as a year, because the
  /// sum could overflow otherwise. A negative time makes a deadline that has already passed.
  explicit Deadline(std::chrono::milliseconds from_now)
      : at_(Clock::now() +
            std::clamp<std::chrono::milliseconds>(from_now, std::chrono::hours(-1), std::chrono::hours(24 * 365))) {}

  /// Returns a deadline a year from now, which in practice does not pass.
  static Deadline never() { return Deadline(std::chrono::milliseconds::max()); }

  Clock::time_point at() const { return at_; }
  bool passed() const { return Clock::now() >= at_; }
  /// Returns a deadline after four fifths of the remaining time. A member that handles a request with this deadline
  /// waits for other members only until the earlier deadline. The remaining fifth is enough to report which member did
  /// not answer, before the requester gives up.
  Deadline earlier() const { return Deadline(left() * 4 / 5); }
  /// Returns this deadline, moved by `by` into the future.
  Deadline later(Clock::duration by) const {
    Deadline moved = *this;
    moved.at_ += by;
    return moved;
  }
  /// Returns the remaining time, at least 0. The time is rounded up to whole milliseconds, so that the deadline has
  /// passed after a wait of this length.
  std::chrono::milliseconds left() const {
    return std::max(std::chrono::milliseconds(0), std::chrono::ceil<std::chrono::milliseconds>(at_ - Clock::now()));
  }

 private:
  Clock::time_point at_;
};

}  // namespace troupe
