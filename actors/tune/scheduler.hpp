#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include "troupe/tune.hpp"

namespace troupe::tune {

/// Decides after each report whether a trial continues. Smaller values are better.
class Stopper {
 public:
  Stopper() = default;
  Stopper(const Stopper&) = delete;
  Stopper& operator=(const Stopper&) = delete;
  virtual ~Stopper() = default;

  /// @param iteration number of the report in its trial, from 1 on, increasing; a restarted trial repeats some numbers
  virtual bool goes_on(int trial, std::int64_t iteration, double value) = 0;
};

/// @throws Error invalid_argument for invalid options
std::unique_ptr<Stopper> make_stopper(const Scheduler& scheduler);

}  // namespace troupe::tune
