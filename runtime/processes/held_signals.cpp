#include "runtime/processes/held_signals.hpp"

#include <algorithm>

namespace troupe {
namespace {

bool ends_program(int signal) {
  struct sigaction action {};
  return ::sigaction(signal, nullptr, &action) == 0 && action.sa_handler == SIG_DFL;
}

}  // namespace

sigset_t ending_signals() {
  sigset_t ending;
  ::sigemptyset(&ending);
  for (const int signal : kEndingSignals) ::sigaddset(&ending, signal);
  return ending;
}

HeldSignals::HeldSignals() {
  const sigset_t held = ending_signals();
  ::pthread_sigmask(SIG_BLOCK, &held, &before_);
}

HeldSignals::~HeldSignals() { ::pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

bool HeldSignals::came() const {
  for (const int signal : kEndingSignals) {
    if (!is_pending(signal) || ends_program(signal)) continue;
    sigset_t one;
    ::sigemptyset(&one);
    ::sigaddset(&one, signal);
    ::pthread_sigmask(SIG_UNBLOCK, &one, nullptr);
    ::pthread_sigmask(SIG_BLOCK, &one, nullptr);
  }
  return std::ranges::any_of(kEndingSignals, [this](int signal) { return is_pending(signal) && ends_program(signal); });
}

bool HeldSignals::is_pending(int signal) const {
  sigset_t pending;
  ::sigpending(&pending);
  return ::sigismember(&pending, signal) == 1 && ::sigismember(&before_, signal) == 0;
}

}  // namespace troupe
