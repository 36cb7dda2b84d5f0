#pragma once

#include <csignal>
#include <optional>

namespace troupe::cli {

/// While it lives the first SIGTERM or SIGINT ends nothing, but is noted, and answered where standard error is a
/// terminal; the next ends the program at once. One at a time.
class StopSignals {
 public:
  StopSignals();
  ~StopSignals();
  StopSignals(const StopSignals&) = delete;
  StopSignals& operator=(const StopSignals&) = delete;

  /// Which one came.
  std::optional<int> came() const;

 private:
  struct sigaction interrupt_before_ {};
  struct sigaction terminate_before_ {};
};

}  // namespace troupe::cli
