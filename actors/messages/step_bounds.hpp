#pragma once

#include <cstdint>

#include "troupe/error.hpp"

namespace troupe {

/// Steps and updates of a run: to which some may be added.
inline constexpr std::int64_t kMostSteps = std::int64_t{1} << 60;

/// @throws Error protocol for numbers of steps or updates that no run comes to
inline void check_steps(std::int64_t steps, std::int64_t updates = 0) {
  if (steps < 0 || steps > kMostSteps || updates < 0 || updates > kMostSteps)
    throw Error(ErrorCode::protocol, "a step that no run comes to");
}

}  // namespace troupe
