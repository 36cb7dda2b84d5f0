#pragma once

#include <cstdint>
#include <string>

#include "runtime/clock.hpp"

namespace troupe {

/// Measures for how long a peer has shown no sign of life. Only time in which this process calls `look` regularly
/// counts. A longer gap between two calls counts little, because this process may itself have been stopped or busy.
/// Makes no system calls; not thread-safe.
class Silence {
 public:
  /// The interval at which peers send signs of life, and at which `look` should be called.
  static constexpr std::chrono::milliseconds kEvery{200};

  /// Limits on the length of a silence.
  struct Limits {
    std::chrono::milliseconds suspect_after{0};  ///< length of a silence for `suspect`; 0: never
    std::chrono::milliseconds cut_after{0};      ///< length of a silence for `gone`; 0: never
  };
  enum class Verdict : unsigned char {
    lives,    ///< the silence is shorter than the limits
    suspect,  ///< the silence has reached `suspect_after`; returned once in each silence
    gone,     ///< the silence has reached `cut_after`
  };

  /// Checks that a limit is 0 or at least 500 ms, so that there is time for a sign that is on its way.
  /// @throws Error invalid_argument that contains `name`, the name of the limit
  static void check(std::chrono::milliseconds limit, const std::string& name);

  /// Makes an object that has not looked yet. Limits longer than a year count as a year, so that sums cannot overflow.
  explicit Silence(Limits limits);

  /// Compares the peer's sign of life with that of the last call, and adds the time since then to the silence if the
  /// sign has not changed.
  /// @param sign a value that changes as long as the peer lives
  Verdict look(std::uint64_t sign, Clock::time_point now);
  /// Returns the length of the silence as a text such as "no sign of life for 1.2 s".
  std::string text() const;

 private:
  /// The maximum time that one call of `look` adds to the silence.
  static constexpr std::chrono::milliseconds kMostCounted = 2 * kEvery;

  Limits limits_;
  bool looked_before_ = false;
  bool told_ = false;  ///< whether `suspect` has been returned in this silence
  std::uint64_t sign_ = 0;
  Clock::time_point looked_;   ///< time of the last call of `look`
  Clock::duration lasted_{0};  ///< length of the silence
};

}  // namespace troupe
