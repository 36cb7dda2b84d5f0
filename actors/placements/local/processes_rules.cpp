#include "actors/launch/launch.hpp"
#include "actors/placements/placements.hpp"

// The rules of the placement `processes`: each worker is a process on the driver's machine, which runs the same
// program.
namespace troupe {
namespace {

void check_in_processes(Hosting& hosting) {
  kInProcessRules.check(hosting);
  if (!is_initialised())
    throw_invalid("call troupe::init at the beginning of main: worker processes run this program again");
}

/// Returns the numbers of threads and files that the worker processes need. A worker process has a main thread, CAF's
/// threads and one thread per replica. In the driver's process, five files are open for each worker process: its
/// connection, its socket to the object store, a handle of the process, its file for last words, and a handle of its
/// successor.
StartNeeds needs_in_processes(const Hosting& hosting) {
  return {0, hosting.num_workers * (1 + caf_threads(1, Reach::processes) + hosting.devices_per_worker),
          kNetworkNeeds.files + hosting.store_files + 5 * hosting.num_workers};
}

}  // namespace

const Rules kProcessesRules{.reach = Reach::processes,
                            .check = check_in_processes,
                            .num_nodes = [](const ClusterOptions&) { return 0; },
                            .scheduler_threads = [](const Hosting&) { return std::size_t{1}; },
                            .needs = needs_in_processes,
                            .make_host = host_processes};

}  // namespace troupe
