#pragma once

#include <string>

namespace troupe {

/// What a process is going to need in order to start.
struct StartNeeds {
  int threads = 0;  ///< of this process
  int others = 0;   ///< threads of processes that it starts
  int files = 0;    ///< descriptors
};

/// Proves by trial that all this can be had at once, and gives it back. For libraries that do not survive to be
/// refused: CAF hangs, crashes or ends the process when its constructor gets no thread or descriptor. Who takes the
/// rest of a limit between the trial and the start is not seen.
/// @param whose such as "worker 3"
/// @throws Error limit_reached, naming the limit and how to raise it.
void try_start(const StartNeeds& needs, const std::string& whose);

}  // namespace troupe
