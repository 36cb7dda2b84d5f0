#pragma once

#include <cstddef>
#include <cstdint>

namespace troupe {

/// Decides when copies of the state are made, and how much is sent after each step. This class does no work itself.
///
/// Without a fixed interval, copying may take a share of 3% of the time of all steps: it begins, and continues,
/// whenever it has taken less than that. With a fixed interval, each copy is spread over the steps of its interval.
class CopyPace {
 public:
  /// The share of the time of steps that copying may take.
  static constexpr double kShare = 0.03;

  /// @param every the number of steps from one copy to the next; 0: as often as the share allows
  explicit CopyPace(std::int64_t every) : every_(every) {}

  /// Records that `steps` steps were made in `seconds` seconds, and that `step` steps are committed now.
  void note_steps(std::int64_t steps, std::int64_t step, double seconds);
  /// Records that copying has taken `seconds` seconds. If it has sent data, `segments` is the number of segments.
  void note_work(double seconds, std::size_t segments = 0);
  /// Records that copying has failed. The next copy begins after a pause.
  void note_failure() { pause_ = kPauseAfterFailure; }
  /// Records that a copy is complete. This ends the pause after a failure.
  void note_success() { pause_ = 0; }
  /// Makes the next copy due at once.
  void hurry() { due_ = true; }

  /// Returns whether a new copy should begin now.
  bool may_begin() const;
  /// Must be called when a copy begins.
  void begin();
  /// Returns how many segments to send now.
  /// @param left the number of segments that are not sent yet
  std::size_t segments(std::size_t left) const;

 private:
  static constexpr double kPauseAfterFailure = 30;  ///< in seconds of steps
  static constexpr double kSavedSteps = 32;         ///< the number of steps whose shares can be saved up

  std::int64_t every_;
  std::int64_t next_ = 0;  ///< with a fixed interval: the number of steps at which the next copy is due
  std::int64_t step_ = 0;
  double step_seconds_ = 0;  ///< the time of the last step
  double allowance_ = 0;     ///< the time that copying may still take
  double per_second_ =
      400;            ///< the number of segments that are sent in a second, measured when segments were sent last
  double pause_ = 0;  ///< the time of steps, in seconds, in which no copy begins
  bool due_ = false;
};

}  // namespace troupe
