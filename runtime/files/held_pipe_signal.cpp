#include "runtime/files/held_pipe_signal.hpp"

#include <ctime>

namespace troupe {
namespace {

bool is_pending() {
  sigset_t pending;
  return ::sigpending(&pending) == 0 && ::sigismember(&pending, SIGPIPE) == 1;
}

}  // namespace

HeldPipeSignal::HeldPipeSignal() {
  ::sigemptyset(&pipe_);
  ::sigaddset(&pipe_, SIGPIPE);
  was_pending_ = is_pending();
  ::pthread_sigmask(SIG_BLOCK, &pipe_, &before_);
}

HeldPipeSignal::~HeldPipeSignal() {
  const timespec now{};
  if (!was_pending_ && is_pending()) ::sigtimedwait(&pipe_, nullptr, &now);
  ::pthread_sigmask(SIG_SETMASK, &before_, nullptr);
}

}  // namespace troupe
