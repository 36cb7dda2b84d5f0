#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "troupe/report.hpp"

namespace troupe::cli {

/// Counts the steps in which a worker took much longer than the others.
class Stragglers {
 public:
  void add(const Slowest& slowest);

  /// Returns a text such as "worker 1 in 90 of 100 steps: 0.20 s against 0.05 s of the others". Empty unless a worker
  /// stood out in three steps, and either in a tenth of all steps or at a cost of a tenth of the time.
  std::string text() const;

 private:
  struct Tally {
    std::int64_t steps = 0;
    double seconds = 0;
    double others = 0;

    double lost() const { return seconds - others; }
  };

  std::int64_t steps_ = 0;
  double seconds_ = 0;  ///< total of the slowest worker of each step
  std::map<int, Tally> workers_;
};

}  // namespace troupe::cli
