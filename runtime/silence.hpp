#pragma once

#include <cstdint>
#include <string>

#include "runtime/clock.hpp"

namespace troupe {

/// Measures for how long a peer has shown no sign of life. Each call of `look` adds at most 400 ms to this time. If the
/// calls are further apart, this process may itself have been stopped or busy, and the peer is not to blame. Makes no
/// system calls; not thread-safe.
class Silence {
 public:
  /// The interval at which a peer sends signs of life. `look` should be called at the same interval.
  static constexpr std::chrono::milliseconds kEvery{200};

  /// Limits on the length of a silence.
  struct Limits {
    /// Length of the silence after which `look` returns `suspect`; 0: never.
    std::chrono::milliseconds suspect_after{0};
    std::chrono::milliseconds cut_after{0};  ///< length of the silence after which `look` returns `gone`; 0: never
  };
  enum class Verdict : unsigned char {
    lives,    ///< the silence is shorter than the limits, or `suspect` has been returned already
    suspect,  ///< the silence has reached `suspect_after`; returned only once in each silence
    gone,     ///< the silence has reached `cut_after`
  };

  /// Checks that a limit on the silence is 0 (none) or at least 500 ms. Signs of life arrive every 200 ms, so a shorter
  /// limit could be exceeded if only one sign is delayed.
  /// @param name the name of the limit, for the error message
  /// @throws Error invalid_argument for another limit
  static void check(std::chrono::milliseconds limit, const std::string& name);

  /// Makes an object for one peer. The first call of `look` starts the measurement. A limit of more than a year counts
  /// as a year, so that sums of times cannot overflow.
  explicit Silence(Limits limits);

  /// Compares the peer's sign of life with the sign of the last call. If the sign has not changed, adds the time since
  /// the last call, but at most `kMostCounted`, to the silence. Otherwise the silence is 0 again. Returns the verdict
  /// about the new length of the silence.
  /// @param sign the peer's sign of life: a number that changes as long as the peer lives
  /// @param now the present time
  Verdict look(std::uint64_t sign, Clock::time_point now);
  /// Returns a text with the length of the silence, such as "no sign of life for 1.2 s".
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
