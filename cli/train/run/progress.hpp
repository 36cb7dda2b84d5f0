#pragma once

#include <cstdint>
#include <string>

#include "runtime/clock.hpp"
#include "troupe/sgd.hpp"

namespace troupe::cli {

/// Returns a duration in seconds as a text such as "0:07" (7 seconds) or "2:05:00" (2 hours and 5 minutes), rounded to
/// whole seconds.
std::string clock_text(double seconds);

/// Returns a rate as text, such as "512 samples/s".
/// @param unit as StepReport::unit
std::string throughput_text(double per_second, const std::string& unit);

/// Shows the progress of a training on standard output: steps, samples per second, the loss and the remaining time,
/// and for data from servers its rate, the share of the time for which workers waited for it, and repeated requests. On
/// a terminal, redraws a bar. Otherwise prints a line every five seconds.
class Progress {
 public:
  /// @param steps_done number of steps that were done before this process started (in a resumed run)
  /// @param total_steps number of steps that will be done when the training ends, including `steps_done`
  /// @param quiet true: nothing is printed
  Progress(std::int64_t steps_done, std::int64_t total_steps, bool quiet);

  /// Counts the step (or steps) of `report`. Redraws the bar or prints a line, if enough time has passed.
  void step(const StepReport& report);
  /// Erases the bar on the terminal, so that other text can be printed on this line.
  void end_line();
  /// The caller must call `pause` before other work than training, such as an evaluation, and `go_on` afterwards. The
  /// time of this work does not count for the samples per second. It does count for the estimate of the remaining time,
  /// because more such work will follow.
  void pause();
  void go_on() {
    since_.lap();
    begins_ = true;
  }

 private:
  void draw(double loss, const std::string& rate) const;
  /// Returns an estimate of the remaining seconds: the mean time of a step so far, including other work between steps,
  /// times the number of remaining steps.
  double seconds_left() const;

  std::int64_t begun_;
  std::int64_t total_steps_;
  bool quiet_;
  bool terminal_;
  bool line_open_ = false;
  std::int64_t done_ = begun_;
  Stopwatch whole_;
  /// Number of samples since the last drawing; the next three members are also for the time since the last drawing.
  std::int64_t samples_ = 0;
  double loss_sum_ = 0;
  RemoteTraffic remote_ = {};
  double waited_ = 0;   ///< sum over the steps of the longest time for which a worker waited for samples
  double seconds_ = 0;  ///< training time until the last pause
  bool begins_ = true;  ///< the next report also contains what was read from servers before its step
  Stopwatch since_;     ///< measures the time since the last drawing or the end of the last pause, whichever is later
};

}  // namespace troupe::cli
