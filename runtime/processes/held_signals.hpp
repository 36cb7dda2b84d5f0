#pragma once

#include <csignal>

namespace troupe {

/// Holds back the signals that end a program (SIGINT, SIGTERM, SIGHUP) from the calling thread, and from threads that
/// it starts meanwhile, which keep holding them back. What came takes effect when this goes.
class HeldSignals {
 public:
  HeldSignals();
  ~HeldSignals();
  HeldSignals(const HeldSignals&) = delete;
  HeldSignals& operator=(const HeldSignals&) = delete;

  /// True when one of them came since and will end the program.
  bool came() const;

 private:
  sigset_t before_{};
};

}  // namespace troupe
