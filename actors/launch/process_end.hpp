#pragma once

#include <chrono>
#include <functional>

namespace troupe {

/// Ends the process with an exit status, without running destructors, because replicas may be in a long computation.
/// The kernel releases all shared resources. Flushes standard output first, but for one second at most.
[[noreturn]] void leave(int status);

/// Blocks until the process at the other end of `socket` closes that end or ends.
void wait_for_hangup(int socket);
/// Like the other overload, but calls `meanwhile` at the interval `every` while it waits.
void wait_for_hangup(int socket, std::chrono::milliseconds every, const std::function<void()>& meanwhile);
/// Makes the kernel send SIGCONT to this process when the other end of `socket` is closed. A process that is stopped
/// (such as by SIGSTOP) then continues and detects that its peer has ended.
void go_on_at_hangup(int socket);

}  // namespace troupe
