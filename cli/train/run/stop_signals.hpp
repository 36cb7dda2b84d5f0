#pragma once

#include <array>
#include <csignal>
#include <optional>

#include "runtime/processes/held_signals.hpp"

namespace troupe::cli {

/// For its lifetime, records the first SIGTERM, SIGINT or SIGHUP instead of ending the program, and confirms it if
/// standard error is a terminal. The next signal ends the program at once, unless it arrives within 0.3 s, as a
/// repetition of the first. Only one object may exist at a time.
class StopSignals {
 public:
  StopSignals();
  ~StopSignals();
  StopSignals(const StopSignals&) = delete;
  StopSignals& operator=(const StopSignals&) = delete;

  /// Returns the recorded signal, if there is one.
  std::optional<int> came() const;

 private:
  std::array<struct sigaction, kEndingSignals.size()> before_{};
};

}  // namespace troupe::cli
