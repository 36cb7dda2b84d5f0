#pragma once

#include <string>

namespace troupe {

/// The resources that a process needs in order to start, in addition to those in use.
struct StartNeeds {
  int threads = 0;  ///< number of threads of this process
  int others = 0;   ///< number of threads of processes that this process starts
  int files = 0;    ///< number of descriptors
};

/// Tests that all these resources are available at the same time, then releases them. This is for libraries that handle
/// a refusal badly: CAF hangs, crashes or ends the process if it gets no thread or descriptor at its start. The test
/// cannot prevent that another process takes the resources before the actual start.
/// @param whose name of what starts, for the error, such as "worker 3"
/// @throws Error limit_reached that names the limit and how to raise it
void try_start(const StartNeeds& needs, const std::string& whose);

}  // namespace troupe
