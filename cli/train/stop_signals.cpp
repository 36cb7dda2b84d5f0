#include "cli/train/stop_signals.hpp"

#include <unistd.h>

#include <string_view>

namespace troupe::cli {
namespace {

/// What a signal's handler may write.
volatile std::sig_atomic_t noted = 0;
volatile std::sig_atomic_t at_terminal = 0;  ///< whether somebody at a terminal waits for an answer

void note(int signal) {
  constexpr std::string_view kAnswer = "\ntroupe: finishing the step; once more to leave at once\n";
  noted = signal;
  if (at_terminal != 0) static_cast<void>(::write(STDERR_FILENO, kAnswer.data(), kAnswer.size()));
  struct sigaction action {};
  action.sa_handler = SIG_DFL;
  ::sigaction(SIGINT, &action, nullptr);
  ::sigaction(SIGTERM, &action, nullptr);
}

/// What is ignored stays so: `nohup` and a shell's background jobs mean it.
void listen(int signal, struct sigaction& before) {
  struct sigaction action {};
  action.sa_handler = note;
  action.sa_flags = SA_RESTART;
  ::sigaction(signal, nullptr, &before);
  if (before.sa_handler != SIG_IGN) ::sigaction(signal, &action, nullptr);
}

}  // namespace

StopSignals::StopSignals() {
  noted = 0;
  at_terminal = ::isatty(STDERR_FILENO);
  listen(SIGINT, interrupt_before_);
  listen(SIGTERM, terminate_before_);
}

StopSignals::~StopSignals() {
  ::sigaction(SIGINT, &interrupt_before_, nullptr);
  ::sigaction(SIGTERM, &terminate_before_, nullptr);
}

std::optional<int> StopSignals::came() const {
  const int signal = noted;
  return signal == 0 ? std::nullopt : std::optional(signal);
}

}  // namespace troupe::cli
