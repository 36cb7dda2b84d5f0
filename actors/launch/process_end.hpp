#pragma once

#include <chrono>
#include <functional>

namespace troupe {

/// Ends the process with the exit status `status`. Runs no destructors, because they would wait for replicas, which may
/// be in a long computation; the kernel releases all shared resources. First flushes standard output. If flushing takes
/// longer than one second, SIGALRM ends the process.
[[noreturn]] void leave(int status);

/// Blocks until the process at the other end of `socket` closes that end or ends.
void wait_for_hangup(int socket);
/// Blocks until the process at the other end of `socket` closes that end or ends. While it waits, calls `meanwhile`
/// once in each interval `every`.
void wait_for_hangup(int socket, std::chrono::milliseconds every, const std::function<void()>& meanwhile);
/// Makes the kernel send SIGCONT to this process when the other end of `socket` is closed. If this process is stopped
/// (for example by SIGSTOP) at that time, it continues and can detect that its peer has ended.
void go_on_at_hangup(int socket);

}  // namespace troupe
