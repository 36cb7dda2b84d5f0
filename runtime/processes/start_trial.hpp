#pragma once

#include <string>

namespace troupe {

/// The resources that the start of a part of the program needs, in addition to the resources in use.
struct StartNeeds {
  int threads = 0;  ///< number of threads in this process
  int others = 0;   ///< number of threads in the processes that this process starts
  int files = 0;    ///< number of file descriptors
};

/// Tests whether all resources of `needs` are available at the same time: allocates them, then releases them. Call this
/// before a library starts that handles a missing resource badly: CAF hangs, crashes or ends the process if it gets no
/// thread or descriptor. After the test, another process may still take the resources before the library starts.
/// @param whose the start of the error message: the name of the part that starts, such as "worker 3"
/// @throws Error limit_reached, whose message contains the limit and how to raise it, if a resource is missing
void try_start(const StartNeeds& needs, const std::string& whose);

}  // namespace troupe
