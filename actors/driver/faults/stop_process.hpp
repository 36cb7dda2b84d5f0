#pragma once

namespace troupe {

/// Returns whether all threads of a process are stopped. Also returns true for a process that has ended.
bool is_stopped(int pid);

/// Stops a process and waits until all of its threads are stopped, but at most one second. After the signal alone, some
/// threads may still run until another thread of the process has handled the signal.
void stop_process(int pid);

}  // namespace troupe
