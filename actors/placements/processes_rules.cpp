#include "actors/launch/launch.hpp"
#include "actors/placements/placements.hpp"

// Placement `processes`: workers are processes of this machine that run this program.
namespace troupe {
namespace {

void check_in_processes(Options& options) {
  kInProcessRules.check(options);
  if (!is_initialised())
    throw_invalid("call troupe::init first in main: worker processes are started from this program");
}

/// A worker's process: its first thread, CAF's, and the replicas'; here its connection, store socket, handle, last
/// words and successor.
StartNeeds needs_in_processes(const Options& options, int state_vectors) {
  return {0, options.num_workers.max * (1 + caf_threads(1, Reach::processes) + options.compute.devices_per_worker),
          kNetworkNeeds.files + slab_files(options, state_vectors) + 5 * options.num_workers.max};
}

}  // namespace

const Rules kProcessesRules{Reach::processes,
                            false,
                            check_in_processes,
                            [](const Options&) { return 0; },
                            [](const Options&) { return std::size_t{1}; },
                            needs_in_processes,
                            host_processes};

}  // namespace troupe
