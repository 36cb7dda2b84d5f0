#pragma once

#include <functional>

#include "actors/driver/run.hpp"

namespace troupe {

/// Returns a vector of the state of a run in a cluster, in canonical order. The weights are complete on every node, so
/// they can be returned even if nodes are lost.
/// @param buffer a function that returns the number of the vector's buffer. It is called after the members were
/// settled, because settling may change the number.
/// @param name the name of the phase for errors
/// @throws Error worker_lost if the vector is lost
HeldFloats fetch_of_nodes(Run& run, int vector, const std::function<int()>& buffer, const char* name);

}  // namespace troupe
