#pragma once

#include <cstdint>
#include <string>

#include "runtime/clock.hpp"
#include "troupe/sgd.hpp"

namespace troupe::cli {

/// Such as "0:07", "12:40" or "2:05:00"; seconds are rounded.
std::string clock_text(double seconds);

/// Shows how a training gets on: a bar that is drawn anew on a terminal, a plain line every few seconds elsewhere, with
/// samples a second, the loss, and the time that is left.
class Progress {
 public:
  /// @param steps_done before this training, of `total_steps`
  Progress(std::int64_t steps_done, std::int64_t total_steps, bool quiet);

  void step(const StepReport& report);
  /// Ends the bar's line, so that something else can be printed.
  void end_line();
  /// From one to the other no images are learned from, as in an evaluation, which the time that is left is of, too.
  void pause();
  void go_on() { since_.lap(); }

 private:
  void draw(double loss, double samples_per_second) const;
  /// By the mean of all steps so far and what came between them.
  double seconds_left() const;

  std::int64_t begun_;
  std::int64_t total_steps_;
  bool quiet_;
  bool terminal_;
  bool line_open_ = false;
  std::int64_t done_ = begun_;
  Stopwatch whole_;
  std::int64_t samples_ = 0;  ///< since the last drawing, as the next three
  double loss_sum_ = 0;
  double seconds_ = 0;  ///< up to the last pause
  Stopwatch since_;     ///< the drawing, or the pause
};

}  // namespace troupe::cli
