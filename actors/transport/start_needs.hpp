#pragma once

#include <cstddef>

#include "actors/transport/system.hpp"
#include "runtime/processes/start_trial.hpp"

namespace troupe {

/// Threads of an actor system: its scheduler's, clock and printer, and where it speaks to other processes a multiplexer
/// and a manager.
int caf_threads(std::size_t scheduler, Reach reach);

// Threads and files of the parts of a process.
inline constexpr StartNeeds kStoreNeeds{1, 0, 3};       ///< an object store, with its loop
inline constexpr StartNeeds kGateNeeds{1, 0, 4};        ///< a listener, and a loop
inline constexpr StartNeeds kNetworkNeeds{0, 0, 4};     ///< CAF's multiplexer, and its listener or connection
inline constexpr StartNeeds kCheckpointNeeds{1, 0, 6};  ///< one that is written: its files, and two vectors
inline constexpr int kReceiverFiles = 2;                ///< of a data plane
inline constexpr int kBriefFiles = 5;                   ///< that are open for a moment only

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
