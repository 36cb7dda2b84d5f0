#pragma once

#include <array>
#include <csignal>

namespace troupe {

/// Signals that end a program: Ctrl-C, kill, and closing the terminal.
inline constexpr std::array kEndingSignals{SIGINT, SIGTERM, SIGHUP};
/// Returns the same signals as a set.
sigset_t ending_signals();

/// Blocks the signals that end a program, in the calling thread and permanently in threads that it starts meanwhile.
/// Signals that arrive take effect when this object is destroyed.
class HeldSignals {
 public:
  HeldSignals();
  ~HeldSignals();
  HeldSignals(const HeldSignals&) = delete;
  HeldSignals& operator=(const HeldSignals&) = delete;

  /// Runs the handlers of signals that have arrived. Returns true if one of these signals is going to end the program.
  bool came() const;

 private:
  bool is_pending(int signal) const;

  sigset_t before_{};
};

}  // namespace troupe
