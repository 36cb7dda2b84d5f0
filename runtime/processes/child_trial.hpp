#pragma once

namespace troupe {

/// Returns whether a process survives `work`, by running it in a copy of this process. `work` may only make system
/// calls, because the copy has only the calling thread. The program does not notice the copy: there is no signal and no
/// core file.
bool survives(void (*work)());

}  // namespace troupe
