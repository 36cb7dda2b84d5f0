#pragma once

#include <array>
#include <csignal>
#include <optional>

#include "runtime/processes/held_signals.hpp"

namespace troupe::cli {

/// During the lifetime of this object, the first SIGTERM, SIGINT or SIGHUP does not end the program, but is recorded.
/// If standard error is a terminal, a message confirms the signal. A second signal ends the program immediately, unless
/// it arrives less than 0.3 s after the first: such a signal is ignored, because programs such as timeout send the same
/// signal twice. Only one object of this class may exist at a time.
class StopSignals {
 public:
  StopSignals();
  ~StopSignals();
  StopSignals(const StopSignals&) = delete;
  StopSignals& operator=(const StopSignals&) = delete;

  /// Returns the number of the recorded signal; none if no signal has arrived.
  std::optional<int> came() const;

 private:
  std::array<struct sigaction, kEndingSignals.size()> before_{};
};

}  // namespace troupe::cli
