#pragma once

#include <algorithm>
#include <chrono>

namespace troupe {

/// By which deadlines pass, and by which Troupe's loops pause: the steady clock. A program that links a `now` and a
/// `sleep_for` of its own has another, as tests in virtual time do: these two are an object of their own in the
/// library.
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

/// A moment by which something must be done.
class Deadline {
 public:
  /// Further off than a year is as good as a year, and cannot overflow. What is negative has passed.
  explicit Deadline(std::chrono::milliseconds from_now)
      : at_(Clock::now() +
            std::clamp<std::chrono::milliseconds>(from_now, std::chrono::hours(-1), std::chrono::hours(24 * 365))) {}

  /// A moment that does not come.
  static Deadline never() { return Deadline(std::chrono::milliseconds::max()); }

  Clock::time_point at() const { return at_; }
  bool passed() const { return Clock::now() >= at_; }
  /// After four fifths of the time that is left: who waits so long for another can still say whom he waits for, before
  /// who waits for him gives up.
  Deadline earlier() const { return Deadline(left() * 4 / 5); }
  Deadline later(Clock::duration by) const {
    Deadline moved = *this;
    moved.at_ += by;
    return moved;
  }
  /// Never negative; rounded up, so that waiting this long is long enough.
  std::chrono::milliseconds left() const {
    return std::max(std::chrono::milliseconds(0), std::chrono::ceil<std::chrono::milliseconds>(at_ - Clock::now()));
  }

 private:
  Clock::time_point at_;
};

}  // namespace troupe
