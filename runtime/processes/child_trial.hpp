#pragma once

namespace troupe {

/// Returns whether a process survives a call of `work`. Calls `work` in a copy of this process, and returns true if the
/// copy exits with status 0. The copy has only the calling thread, so `work` must not use locks or allocate memory. The
/// rest of the program does not notice the copy: there is no SIGCHLD and no core file.
bool survives(void (*work)());

}  // namespace troupe
