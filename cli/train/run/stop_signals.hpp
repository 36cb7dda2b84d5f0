#pragma once

#include <array>
#include <csignal>
#include <optional>

#include "runtime/processes/held_signals.hpp"

namespace troupe::cli {

/// While it lives the first SIGTERM, SIGINT or SIGHUP ends nothing, but is noted, and answered where standard error is
/// a terminal; the next ends the program at once, unless it comes within 0.3 s and means the same. One at a time.
class StopSignals {
 public:
  StopSignals();
  ~StopSignals();
  StopSignals(const StopSignals&) = delete;
  StopSignals& operator=(const StopSignals&) = delete;

  /// Which one came.
  std::optional<int> came() const;

 private:
  std::array<struct sigaction, kEndingSignals.size()> before_{};
};

}  // namespace troupe::cli
