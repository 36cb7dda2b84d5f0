#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "troupe/report.hpp"

namespace troupe::cli {

/// Counts, for each worker, the steps in which it took much longer than the others.
class Stragglers {
 public:
  /// Adds a step. @param slowest the slowest worker of the step
  void add(const Slowest& slowest);

  /// Returns a text about the worst straggler, such as "worker 1 in 90 of 100 steps: 0.2000 s against 0.0500 s of the
  /// others". Returns an empty text if there is none. A straggler must be slow in at least three steps. In addition, it
  /// must be slow in a tenth of all steps, or cost a tenth of the time.
  std::string text() const;

 private:
  struct Tally {
    std::int64_t steps = 0;  ///< number of steps in which the worker was slow
    double seconds = 0;      ///< its time in these steps
    double others = 0;       ///< median time of the other workers in these steps

    double lost() const { return seconds - others; }
  };

  std::int64_t steps_ = 0;
  double seconds_ = 0;  ///< sum of the slowest worker's time over all steps
  std::map<int, Tally> workers_;
};

}  // namespace troupe::cli
