#pragma once

namespace troupe {

/// Returns whether all threads of the process `pid` are stopped. Also returns true if the process has ended.
bool is_stopped(int pid);

/// Stops the process `pid` with SIGSTOP, and waits until all of its threads are stopped, but at most one second. The
/// wait is needed because threads of the process may continue for a short time after the signal was sent.
void stop_process(int pid);

}  // namespace troupe
