#include "runtime/processes/slowed_process.hpp"

#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <chrono>

#include "runtime/processes/held_signals.hpp"
#include "runtime/processes/limits.hpp"

namespace troupe {
namespace {

/// The time for which the process runs before it is stopped again.
constexpr std::chrono::milliseconds kTurn{5};

}  // namespace

SlowedProcess::SlowedProcess(pid_t pid, int factor) : process_(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0))) {
  if (!process_) throw_errno("pidfd_open");
  const HeldSignals held;  // signals must be handled on the user's threads
  thread_ = start_thread([this, factor] { run(factor); });
}

SlowedProcess::~SlowedProcess() {
  {
    const std::lock_guard lock(mutex_);
    done_ = true;
  }
  changed_.notify_one();
  thread_.join();
}

void SlowedProcess::run(int factor) {
  std::unique_lock lock(mutex_);
  const auto done = [this] { return done_; };
  while (!done_ && signal(SIGSTOP)) {
    changed_.wait_for(lock, kTurn * (factor - 1), done);
    if (!signal(SIGCONT)) return;
    changed_.wait_for(lock, kTurn, done);
  }
}

bool SlowedProcess::signal(int number) const {
  return ::syscall(SYS_pidfd_send_signal, process_.get(), number, nullptr, 0) == 0;
}

}  // namespace troupe
