#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "troupe/report.hpp"

namespace troupe::cli {

/// Counts for each worker the steps in which this worker took much longer than the other workers.
class Stragglers {
 public:
  /// Adds a step to the statistics. @param slowest the slowest worker of the step, and the times of this worker and the
  /// others
  void add(const Slowest& slowest);

  /// Returns a text about the worst straggler, such as "worker 1 in 90 of 100 steps: 0.2000 s against 0.0500 s of the
  /// others". Returns an empty text if there is no straggler. A worker counts as a straggler if two conditions hold.
  /// First, it was slow in at least three steps. Second, it was slow in a tenth of all steps, or the time that it cost
  /// is a tenth of the total time.
  std::string text() const;

 private:
  struct Tally {
    std::int64_t steps = 0;  ///< number of steps in which this worker was slow
    double seconds = 0;      ///< total time of this worker in these steps
    double others = 0;       ///< total of the other workers' median times in these steps

    double lost() const { return seconds - others; }
  };

  std::int64_t steps_ = 0;
  double seconds_ = 0;  ///< total over all steps of the slowest worker's time
  std::map<int, Tally> workers_;
};

}  // namespace troupe::cli
