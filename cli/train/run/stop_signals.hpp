#pragma once

#include <array>
#include <csignal>
#include <optional>

#include "runtime/processes/held_signals.hpp"

namespace troupe::cli {

/// For the lifetime of this object, the first SIGTERM, SIGINT or SIGHUP does not end the program, but is recorded. If
/// standard error is a terminal, a message confirms the signal. A second signal ends the program immediately. But a
/// signal less than 0.3 s after the first is ignored, because it is a repetition of the first. Only one object may
/// exist at a time.
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
