#pragma once

#include <cstdint>
#include <string>

#include "runtime/clock.hpp"
#include "troupe/sgd.hpp"

namespace troupe::cli {

/// Formats a time such as "0:07", "12:40" or "2:05:00"; seconds are rounded.
std::string clock_text(double seconds);

/// Shows the progress of a training, with samples per second, the loss and the remaining time. On a terminal, redraws a
/// bar; otherwise prints a line every few seconds.
class Progress {
 public:
  /// @param steps_done steps before this training, out of `total_steps`
  Progress(std::int64_t steps_done, std::int64_t total_steps, bool quiet);

  void step(const StepReport& report);
  /// Ends the bar's line, so that something else can be printed.
  void end_line();
  /// `pause` and `go_on` enclose work that trains no samples, such as an evaluation. That time does not count for the
  /// rate, but does count for the remaining time.
  void pause();
  void go_on() { since_.lap(); }

 private:
  void draw(double loss, double samples_per_second) const;
  /// Estimates the remaining time from the mean of all steps so far, including the work between them.
  double seconds_left() const;

  std::int64_t begun_;
  std::int64_t total_steps_;
  bool quiet_;
  bool terminal_;
  bool line_open_ = false;
  std::int64_t done_ = begun_;
  Stopwatch whole_;
  std::int64_t samples_ = 0;  ///< since the last drawing, as are the next three
  double loss_sum_ = 0;
  double seconds_ = 0;  ///< until the last pause
  Stopwatch since_;     ///< since the drawing, or the end of the pause
};

}  // namespace troupe::cli
