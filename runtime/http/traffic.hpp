#pragma once

#include "troupe/report.hpp"

namespace troupe {

/// Adds to the numbers that `take_remote_traffic` returns. Thread-safe.
void note_remote_traffic(const RemoteTraffic& more) noexcept;

/// Returns what this process has read from servers since the last call. Thread-safe.
RemoteTraffic take_remote_traffic() noexcept;

}  // namespace troupe
