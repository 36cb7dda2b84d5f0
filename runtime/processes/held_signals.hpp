#pragma once

#include <array>
#include <csignal>

namespace troupe {

/// With which somebody ends a program: from its terminal, by its name or number, or by closing the terminal.
inline constexpr std::array kEndingSignals{SIGINT, SIGTERM, SIGHUP};
/// The same as a set.
sigset_t ending_signals();

/// Holds back the signals that end a program from the calling thread, and from threads that it starts meanwhile, which
/// keep holding them back. What came takes effect when this goes.
class HeldSignals {
 public:
  HeldSignals();
  ~HeldSignals();
  HeldSignals(const HeldSignals&) = delete;
  HeldSignals& operator=(const HeldSignals&) = delete;

  /// Lets handlers run that came meanwhile. True when one of these signals will end the program.
  bool came() const;

 private:
  bool is_pending(int signal) const;

  sigset_t before_{};
};

}  // namespace troupe
