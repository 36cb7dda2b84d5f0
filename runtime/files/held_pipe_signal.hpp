#pragma once

#include <csignal>

namespace troupe {

/// While it lives, a pipe without a reader does not end the process: a write of the calling thread fails with EPIPE.
class HeldPipeSignal {
 public:
  HeldPipeSignal();
  ~HeldPipeSignal();
  HeldPipeSignal(const HeldPipeSignal&) = delete;
  HeldPipeSignal& operator=(const HeldPipeSignal&) = delete;

 private:
  sigset_t pipe_{};
  sigset_t before_{};
  bool was_pending_ = false;
};

}  // namespace troupe
