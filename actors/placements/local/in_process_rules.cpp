#include <algorithm>

#include "actors/placements/placements.hpp"
#include "runtime/processes/cores.hpp"

// The rules of the placement `in_process`: workers are actors that run on threads of the driver's process.
namespace troupe {
namespace {

void check_in_process(Hosting& hosting) {
  if (!hosting.cluster.listen.empty() || !hosting.cluster.certs.empty())
    throw_invalid("cluster.listen and cluster.certs require placement cluster");
}

std::size_t scheduler_threads(const Hosting& hosting) {
  return static_cast<std::size_t>(std::clamp(hosting.num_workers, 1, usable_cores()));
}

StartNeeds needs_in_process(const Hosting& hosting) {
  return {hosting.num_workers * hosting.devices_per_worker, 0, hosting.store_files};
}

}  // namespace

const Rules kInProcessRules{.reach = Reach::threads,
                            .takes_lambdas = true,
                            .check = check_in_process,
                            .num_nodes = [](const ClusterOptions&) { return 0; },
                            .scheduler_threads = scheduler_threads,
                            .needs = needs_in_process,
                            .make_host = host_in_process};

}  // namespace troupe
