#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include "troupe/tune.hpp"

namespace troupe::tune {

/// Decides after each report of a trial whether the trial continues or is stopped early. Smaller values of the metric
/// are better.
class Stopper {
 public:
  Stopper() = default;
  Stopper(const Stopper&) = delete;
  Stopper& operator=(const Stopper&) = delete;
  virtual ~Stopper() = default;

  /// Records a report of a trial, and returns true if the trial continues.
  /// @param trial the number of the trial
  /// @param iteration the number of the report within its trial, from 1 on. A restarted trial may repeat numbers;
  /// otherwise they increase
  /// @param value the reported value of the metric by which trials are compared
  virtual bool goes_on(int trial, std::int64_t iteration, double value) = 0;
};

/// Returns the stopper that `scheduler` describes.
/// @throws Error invalid_argument if an option in `scheduler` is invalid
std::unique_ptr<Stopper> make_stopper(const Scheduler& scheduler);

}  // namespace troupe::tune
