#pragma once

#include <cstdint>
#include <string>

#include "runtime/clock.hpp"
#include "troupe/sgd.hpp"

namespace troupe::cli {

/// Returns a duration as text, such as "0:07", "12:40" or "2:05:00", rounded to whole seconds.
std::string clock_text(double seconds);

/// Shows the progress of a training: steps, samples per second, the loss and the remaining time. On a terminal, redraws
/// a bar; otherwise prints a line every five seconds.
class Progress {
 public:
  /// @param steps_done number of steps done before this process started
  /// @param total_steps number of steps when the training ends, including `steps_done`
  /// @param quiet whether to print nothing
  Progress(std::int64_t steps_done, std::int64_t total_steps, bool quiet);

  /// Counts a step, and redraws or prints if enough time has passed.
  void step(const StepReport& report);
  /// Erases the bar, so that something else can be printed on its line.
  void end_line();
  /// Call `pause` before and `go_on` after work that trains no samples, such as an evaluation. The time of this work is
  /// excluded from the samples per second. It is included in the estimate of the remaining time, since more such work
  /// will follow.
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
  std::int64_t samples_ = 0;  ///< since the last drawing, like the next three members
  double loss_sum_ = 0;
  double seconds_ = 0;  ///< time until the last pause
  Stopwatch since_;     ///< measures the time since the last drawing or the end of the last pause
};

}  // namespace troupe::cli
