#pragma once

#include <cstddef>

#include "actors/transport/system.hpp"
#include "runtime/processes/start_trial.hpp"

namespace troupe {

/// Returns the number of threads of an actor system: its scheduler's threads, clock and printer, and for connections to
/// other processes a multiplexer and a manager.
int caf_threads(std::size_t scheduler, Reach reach);

// Threads and files that the parts of a process need:
inline constexpr StartNeeds kStoreNeeds{1, 0, 3};       ///< an object store with its event loop
inline constexpr StartNeeds kGateNeeds{1, 0, 4};        ///< a listener with its event loop
inline constexpr StartNeeds kNetworkNeeds{0, 0, 4};     ///< CAF's multiplexer and its listener or connection
inline constexpr StartNeeds kCheckpointNeeds{1, 0, 6};  ///< a checkpoint that is being written: its files and two
                                                        ///< vectors
inline constexpr int kReceiverFiles = 2;                ///< for a data plane
inline constexpr int kBriefFiles = 5;                   ///< files that are open only for a moment

/// Needs of an actor system that connects to another process, with one actor on its own thread.
StartNeeds needs_of_system();
/// `needs_of_node`: needs of the process that serves one run, without the run's workers. `needs_of_supervisor`: needs
/// of the process that starts such processes.
StartNeeds needs_of_node();
StartNeeds needs_of_supervisor();
/// Needs of one more worker in a node's or the driver's process.
StartNeeds needs_of_worker();
/// Returns the number of threads that receive in a node's data plane.
int node_receivers();

}  // namespace troupe
