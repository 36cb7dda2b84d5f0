#pragma once

#include "runtime/processes/start_trial.hpp"
#include "troupe/sgd.hpp"

namespace troupe {

/// Of CAF's scheduler in a driver.
std::size_t scheduler_threads(const Options& options);

/// What a driver starts, and its worker processes with it.
/// @param state_vectors of the optimizer
StartNeeds needs_of_driver(const Options& options, int state_vectors);
/// Of an actor system that speaks to another process, and one actor with a thread of its own.
StartNeeds needs_of_system();
/// Of the process that serves one run, without the run's workers; and of one that starts such processes.
StartNeeds needs_of_node();
StartNeeds needs_of_supervisor();
/// Of one worker more in a node's or the driver's process.
StartNeeds needs_of_worker();
/// Threads that receive in a node's data plane.
int node_receivers();

}  // namespace troupe
