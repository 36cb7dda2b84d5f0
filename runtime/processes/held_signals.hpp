#pragma once

#include <array>
#include <csignal>

namespace troupe {

/// The signals by which users end a program: Ctrl-C sends SIGINT, the command `kill` sends SIGTERM, and closing the
/// terminal sends SIGHUP.
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

  /// Returns whether one of the blocked signals has arrived that has no handler, so that the signal will end the
  /// program. If a signal with a handler has arrived, first runs the handler.
  bool came() const;

 private:
  /// Returns whether `signal` has arrived, and was not blocked already before this object was made.
  bool is_pending(int signal) const;

  sigset_t before_{};
};

}  // namespace troupe
