#pragma once

#include <cstdint>
#include <string>

#include "runtime/clock.hpp"

namespace troupe {

/// How long somebody who is waited for has shown no sign of life. Only time counts in which somebody looked: who looks
/// may have been stopped or starved himself, or busy with something else. Plain book-keeping.
class Silence {
 public:
  /// So often signs of life are given, and looked for.
  static constexpr std::chrono::milliseconds kEvery{200};

  struct Limits {
    std::chrono::milliseconds suspect_after{0};  ///< 0: never
    std::chrono::milliseconds cut_after{0};      ///< 0: never
  };
  enum class Verdict : unsigned char {
    lives,
    suspect,  ///< told once in each silence
    gone,
  };

  /// Of a limit, which is 0 or long enough for a sign that is on its way. @throws Error invalid_argument that names it
  static void check(std::chrono::milliseconds limit, const std::string& name);

  /// More than a year is a year, and cannot overflow.
  explicit Silence(Limits limits);

  /// @param sign changes as long as he lives
  Verdict look(std::uint64_t sign, Clock::time_point now);
  /// Such as "no sign of life for 1.2 s".
  std::string text() const;

 private:
  /// One look stands for no more time than this.
  static constexpr std::chrono::milliseconds kMostCounted = 2 * kEvery;

  Limits limits_;
  bool looked_before_ = false;
  bool told_ = false;
  std::uint64_t sign_ = 0;
  Clock::time_point looked_;
  Clock::duration lasted_{0};
};

}  // namespace troupe
