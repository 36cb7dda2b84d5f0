#pragma once

#include <cstdint>

#include "runtime/clock.hpp"

namespace troupe {

/// The operation to which a round belongs. Errors of the round contain the name and the step.
struct Phase {
  const char* name = "";
  std::int64_t step = -1;  ///< the number of the step that is being made; -1: none
  /// The time until which members must answer.
  Deadline deadline{std::chrono::milliseconds(0)};
};

}  // namespace troupe
