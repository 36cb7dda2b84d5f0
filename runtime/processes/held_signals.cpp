#include "runtime/processes/held_signals.hpp"

#include <array>

namespace troupe {
namespace {

constexpr std::array kEnding{SIGINT, SIGTERM, SIGHUP};

bool ends_program(int signal) {
  struct sigaction action {};
  return ::sigaction(signal, nullptr, &action) == 0 && action.sa_handler == SIG_DFL;
}

}  // namespace

HeldSignals::HeldSignals() {
  sigset_t held;
  ::sigemptyset(&held);
  for (const int signal : kEnding) ::sigaddset(&held, signal);
  ::pthread_sigmask(SIG_BLOCK, &held, &before_);
}

HeldSignals::~HeldSignals() { ::pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

bool HeldSignals::came() const {
  sigset_t pending;
  ::sigpending(&pending);
  for (const int signal : kEnding)
    if (::sigismember(&pending, signal) == 1 && ::sigismember(&before_, signal) == 0 && ends_program(signal))
      return true;
  return false;
}

}  // namespace troupe
