#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include "troupe/tune.hpp"

namespace troupe::tune {

/// Decides after each report of a trial whether the trial continues or is stopped early. Smaller values are better.
class Stopper {
 public:
  Stopper() = default;
  Stopper(const Stopper&) = delete;
  Stopper& operator=(const Stopper&) = delete;
  virtual ~Stopper() = default;

  /// Records a report, and returns true if its trial continues.
  /// @param trial the number of the trial
  /// @param iteration the number of the report in its trial, from 1 on. The numbers of a trial increase, but a
  /// restarted trial may repeat some numbers
  /// @param value the value of the metric by which trials are compared
  virtual bool goes_on(int trial, std::int64_t iteration, double value) = 0;
};

/// Returns the stopper for these options.
/// @throws Error invalid_argument if an option is invalid
std::unique_ptr<Stopper> make_stopper(const Scheduler& scheduler);

}  // namespace troupe::tune
