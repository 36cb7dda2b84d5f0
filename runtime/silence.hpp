#pragma once

#include <cstdint>
#include <string>

#include "runtime/clock.hpp"

namespace troupe {

/// Measures for how long a peer has shown no sign of life. Time counts only while this process looks for signs: the
/// process may itself have been stopped, starved of processor time, or busy. Does no input or output; not thread-safe.
class Silence {
 public:
  /// The interval at which signs of life are sent, and checked.
  static constexpr std::chrono::milliseconds kEvery{200};

  struct Limits {
    std::chrono::milliseconds suspect_after{0};  ///< 0: never
    std::chrono::milliseconds cut_after{0};      ///< 0: never
  };
  enum class Verdict : unsigned char {
    lives,
    suspect,  ///< returned once in each silence
    gone,
  };

  /// Checks a limit, which must be 0 or long enough for a sign that is on its way. @throws Error invalid_argument with
  /// `name`
  static void check(std::chrono::milliseconds limit, const std::string& name);

  /// Limits both times to a year, so that they cannot overflow.
  explicit Silence(Limits limits);

  /// @param sign a value that changes as long as the peer lives
  Verdict look(std::uint64_t sign, Clock::time_point now);
  /// Returns a text such as "no sign of life for 1.2 s".
  std::string text() const;

 private:
  /// The most time that one call of `look` adds.
  static constexpr std::chrono::milliseconds kMostCounted = 2 * kEvery;

  Limits limits_;
  bool looked_before_ = false;
  bool told_ = false;
  std::uint64_t sign_ = 0;
  Clock::time_point looked_;
  Clock::duration lasted_{0};
};

}  // namespace troupe
