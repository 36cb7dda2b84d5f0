#pragma once

#include <string>

namespace troupe {

/// The resources that a process needs in order to start.
struct StartNeeds {
  int threads = 0;  ///< of this process
  int others = 0;   ///< threads of processes that it starts
  int files = 0;    ///< descriptors
};

/// Tests that all these resources are available at the same time, then releases them. For libraries that do not survive
/// a refusal: CAF hangs, crashes or ends the process if its constructor gets no thread or descriptor. Cannot detect
/// another process that takes the resources between this test and the start.
/// @param whose name for errors, such as "worker 3"
/// @throws Error limit_reached, naming the limit and how to raise it.
void try_start(const StartNeeds& needs, const std::string& whose);

}  // namespace troupe
