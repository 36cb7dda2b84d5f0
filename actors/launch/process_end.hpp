#pragma once

namespace troupe {

/// Ends without destructors: replicas may be in the middle of a long computation, and all that others could miss is
/// given back by the end of the process.
[[noreturn]] void leave(int status);

/// Returns when whoever holds the other end of a socket has closed it or ended.
void wait_for_hangup(int socket);

}  // namespace troupe
