#pragma once

namespace troupe {

/// Whether each thread of a process stands; of one that has ended, yes.
bool is_stopped(int pid);

/// Stops a process, and returns when each of its threads stands, or after a second: a signal alone leaves those at work
/// that do not take it, until another thread of theirs has.
void stop_process(int pid);

}  // namespace troupe
