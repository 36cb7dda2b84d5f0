#pragma once

#include <chrono>
#include <functional>

namespace troupe {

/// Ends without destructors: replicas may be in the middle of a long computation, and all that others could miss is
/// given back by the end of the process. What is still to be written is, where that takes less than a second.
[[noreturn]] void leave(int status);

/// Returns when whoever holds the other end of a socket has closed it or ended.
void wait_for_hangup(int socket);
/// Calls `meanwhile` each so often.
void wait_for_hangup(int socket, std::chrono::milliseconds every, const std::function<void()>& meanwhile);
/// Has the kernel let this process go on, should it be stopped, when the other end is closed: who is stopped would
/// never see it.
void go_on_at_hangup(int socket);

}  // namespace troupe
