#pragma once

#include <chrono>
#include <functional>

namespace troupe {

/// Ends the process without running destructors. Replicas may be in a long computation, and the kernel releases all
/// shared resources. Flushes standard output if that takes less than a second.
[[noreturn]] void leave(int status);

/// Returns when the process at the other end of a socket has closed it or ended.
void wait_for_hangup(int socket);
/// Like the other overload, but calls `meanwhile` at this interval.
void wait_for_hangup(int socket, std::chrono::milliseconds every, const std::function<void()>& meanwhile);
/// Makes the kernel continue this process, if it is stopped, when the other end of the socket is closed. A stopped
/// process would never notice.
void go_on_at_hangup(int socket);

}  // namespace troupe
