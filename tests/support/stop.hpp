#pragma once

#include <doctest/doctest.h>
#include <signal.h>

#include "actors/driver/faults/stop_process.hpp"
#include "support/patience.hpp"

namespace troupe_test {

/// Sends SIGSTOP to a process and returns when all of its threads have stopped.
inline void stop(pid_t pid) {
  ::kill(pid, SIGSTOP);
  CHECK(comes_true([&] { return troupe::is_stopped(pid); }));
}

}  // namespace troupe_test
