#include "cli/train/run/stop_signals.hpp"

#include <time.h>
#include <unistd.h>

#include <iterator>
#include <string_view>

namespace troupe::cli {
namespace {

/// The number of the first signal, or 0 if none has arrived. This variable and the next two have the type volatile
/// sig_atomic_t, because a signal handler uses them.
volatile std::sig_atomic_t noted = 0;
volatile std::sig_atomic_t at_terminal = 0;  ///< 1 if standard error is a terminal, else 0

volatile std::sig_atomic_t noted_at = 0;  ///< time of the first signal, from `milliseconds_now`

/// A signal that arrives less than this many milliseconds after the first signal counts as a repetition, and is
/// ignored. For example, timeout(1) sends its signal to the program, and then again to the program's process group.
constexpr std::sig_atomic_t kSameWish = 300;

/// Returns the milliseconds of the monotonic clock, modulo 10^9.
std::sig_atomic_t milliseconds_now() {
  timespec now{};
  ::clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<std::sig_atomic_t>((now.tv_sec % 1'000'000) * 1000 + now.tv_nsec / 1'000'000);
}

void note(int signal) {
  constexpr std::string_view kAnswer = "\ntroupe: finishing the step; once more to stop at once\n";
  const std::sig_atomic_t now = milliseconds_now();
  if (noted != 0) {
    const std::sig_atomic_t passed = now - noted_at;
    if (passed >= 0 && passed < kSameWish) return;
    ::signal(signal, SIG_DFL);
    ::raise(signal);  // ends the program when this handler has returned
    return;
  }
  noted = signal;
  noted_at = now;
  if (at_terminal != 0) static_cast<void>(::write(STDERR_FILENO, kAnswer.data(), kAnswer.size()));
}

/// Installs `note` as the handler of a signal, unless the process ignores the signal. An ignored signal must stay
/// ignored, because `nohup` and background jobs of a shell rely on this.
/// @param before set to the previous action for the signal
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
  for (std::size_t i = 0; i < std::size(kEndingSignals); ++i) listen(kEndingSignals[i], before_[i]);
}

StopSignals::~StopSignals() {
  for (std::size_t i = 0; i < std::size(kEndingSignals); ++i) ::sigaction(kEndingSignals[i], &before_[i], nullptr);
}

std::optional<int> StopSignals::came() const {
  const int signal = noted;
  return signal == 0 ? std::nullopt : std::optional(signal);
}

}  // namespace troupe::cli
