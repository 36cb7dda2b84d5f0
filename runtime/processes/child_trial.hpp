#pragma once

namespace troupe {

/// Returns whether a process survives a call of `work`. Calls `work` in a copy of this process, and returns true if the
/// copy exits normally. The copy has only the calling thread, so `work` may only make system calls. The program does
/// not notice the copy: there is no SIGCHLD and no core file.
bool survives(void (*work)());

}  // namespace troupe
