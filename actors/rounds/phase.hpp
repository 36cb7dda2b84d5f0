#pragma once

#include <cstdint>

#include "runtime/clock.hpp"

namespace troupe {

/// The operation that a round belongs to: its name and step for errors, and its deadline.
struct Phase {
  const char* name = "";
  std::int64_t step = -1;  ///< the step that is being made; -1: none
  Deadline deadline{std::chrono::milliseconds(0)};
};

}  // namespace troupe
