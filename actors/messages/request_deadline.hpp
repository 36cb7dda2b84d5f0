#pragma once

#include "runtime/clock.hpp"

namespace troupe {

/// Until when the driver waits for the answer to a request that says how long.
template <class Request>
Deadline deadline_of(const Request& request) {
  return Deadline(std::chrono::milliseconds(request.timeout_ms));
}

}  // namespace troupe
