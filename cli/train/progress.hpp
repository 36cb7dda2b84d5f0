#pragma once

#include <cstdint>

#include "runtime/clock.hpp"
#include "troupe/sgd.hpp"

namespace troupe::cli {

/// Shows how a training gets on: a bar that is drawn anew on a terminal, a plain line every few seconds elsewhere.
class Progress {
 public:
  /// @param total_steps of the whole run.
  Progress(std::int64_t total_steps, bool quiet);

  void step(const StepReport& report);
  /// Ends the bar's line, so that something else can be printed.
  void end_line();

 private:
  void draw(double loss, double images_per_second) const;

  std::int64_t total_steps_;
  bool quiet_;
  bool terminal_;
  bool line_open_ = false;
  std::int64_t samples_ = 0;  ///< since the last drawing, as the next two
  double loss_sum_ = 0;
  std::int64_t done_ = 0;
  Stopwatch since_drawn_;
};

}  // namespace troupe::cli
