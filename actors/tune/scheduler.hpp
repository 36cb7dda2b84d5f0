#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include "troupe/tune.hpp"

namespace troupe::tune {

/// Says of a trial that has reported whether it goes on. Values are such that less is better.
class Stopper {
 public:
  Stopper() = default;
  Stopper(const Stopper&) = delete;
  Stopper& operator=(const Stopper&) = delete;
  virtual ~Stopper() = default;

  /// @param iteration of the trial's reports, from 1 on, each a larger one; a trial that began again says some twice
  virtual bool goes_on(int trial, std::int64_t iteration, double value) = 0;
};

/// @throws Error invalid_argument for numbers that make no sense
std::unique_ptr<Stopper> make_stopper(const Scheduler& scheduler);

}  // namespace troupe::tune
