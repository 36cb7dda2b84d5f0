#pragma once

#include <cstddef>

#include "actors/transport/system.hpp"
#include "runtime/processes/start_trial.hpp"

namespace troupe {

/// Returns the number of threads of an actor system: the threads of its scheduler, one for its clock and one for its
/// printer. If actors exchange messages with other processes (`reach`), adds two threads, for CAF's multiplexer and the
/// connection manager.
/// @param scheduler the number of threads of the scheduler
int caf_threads(std::size_t scheduler, Reach reach);

// The resources that parts of a process need. The three numbers are: threads of this process, threads of processes that
// it starts, and file descriptors.
inline constexpr StartNeeds kStoreNeeds{1, 0, 3};       ///< an object store
inline constexpr StartNeeds kGateNeeds{1, 0, 4};        ///< a gate
inline constexpr StartNeeds kNetworkNeeds{0, 0, 4};     ///< CAF's multiplexer, and a listener or connection
inline constexpr StartNeeds kCheckpointNeeds{1, 0, 6};  ///< the writing of a checkpoint: its thread, its files, and two
                                                        ///< vectors
inline constexpr int kReceiverFiles = 2;                ///< file descriptors of a data plane
inline constexpr int kBriefFiles = 5;                   ///< file descriptors that are open for a short time only

/// Returns the needs of an actor system that connects to another process, and of one actor that has a thread of its
/// own.
StartNeeds needs_of_system();
/// Returns the needs of a node's process that serves one run. The needs of the run's workers are not included.
StartNeeds needs_of_node();
/// Returns the resources that must be available when a node starts: the resources that the child process of a run needs
/// (`needs_of_node`), and two more threads.
StartNeeds needs_of_supervisor();
/// Returns the needs of one more worker in the process of a node or of the driver.
StartNeeds needs_of_worker();
/// Returns the number of threads with which the data plane of a node receives data.
int node_receivers();

}  // namespace troupe
