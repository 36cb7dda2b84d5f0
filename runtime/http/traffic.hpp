#pragma once

#include "troupe/report.hpp"

namespace troupe {

/// Adds to the numbers that `remote_traffic` returns. Thread-safe.
void note_remote_traffic(const RemoteTraffic& more) noexcept;

/// Returns what this process has read from servers since it began. Thread-safe.
RemoteTraffic remote_traffic() noexcept;

/// Returns what this process has read from servers since the last call of this function. Thread-safe.
RemoteTraffic take_remote_traffic() noexcept;

}  // namespace troupe
