#pragma once

#include <array>
#include <csignal>

namespace troupe {

/// Signals that by default end a program. Their usual causes are Ctrl-C, the command `kill`, and closing the terminal.
inline constexpr std::array kEndingSignals{SIGINT, SIGTERM, SIGHUP};
/// Returns `kEndingSignals` as a signal set.
sigset_t ending_signals();

/// Blocks the signals of `kEndingSignals` in the calling thread for the lifetime of this object. Threads that the
/// calling thread starts in this time block these signals until they end. A signal that arrives in this time takes
/// effect when the object is destroyed.
class HeldSignals {
 public:
  HeldSignals();
  ~HeldSignals();
  HeldSignals(const HeldSignals&) = delete;
  HeldSignals& operator=(const HeldSignals&) = delete;

  /// Returns true if a signal has arrived that will end the program, because it has no handler. If a signal with a
  /// handler has arrived, runs its handler now.
  bool came() const;

 private:
  /// Returns whether a signal has arrived that only this object blocks.
  bool is_pending(int signal) const;

  sigset_t before_{};
};

}  // namespace troupe
