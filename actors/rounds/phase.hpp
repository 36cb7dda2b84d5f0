#pragma once

#include <cstdint>

#include "runtime/clock.hpp"

namespace troupe {

/// What a round is a part of: for its end, and for errors.
struct Phase {
  const char* name = "";
  std::int64_t step = -1;  ///< that is being made
  Deadline deadline{std::chrono::milliseconds(0)};
};

}  // namespace troupe
