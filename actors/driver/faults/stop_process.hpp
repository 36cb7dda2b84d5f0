#pragma once

namespace troupe {

/// Stops a process, and returns when each of its threads stands, or after a second: a signal alone leaves those at work
/// that do not take it, until another thread of theirs has.
void stop_process(int pid);

}  // namespace troupe
