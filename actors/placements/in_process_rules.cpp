#include <algorithm>

#include "actors/placements/placements.hpp"
#include "runtime/processes/cores.hpp"

// Placement `in_process`: workers are actors on threads of this process.
namespace troupe {
namespace {

void check_in_process(Options& options) {
  if (!options.cluster.listen.empty() || !options.cluster.certs.empty())
    throw_invalid("a cluster's address and certificates need placement cluster");
}

std::size_t scheduler_threads(const Options& options) {
  return static_cast<std::size_t>(std::clamp(options.num_workers.max, 1, usable_cores()));
}

StartNeeds needs_in_process(const Options& options, int state_vectors) {
  return {options.num_workers.max * options.compute.devices_per_worker, 0, slab_files(options, state_vectors)};
}

}  // namespace

const Rules kInProcessRules{
    Reach::threads,   true,           check_in_process, [](const Options&) { return 0; }, scheduler_threads,
    needs_in_process, host_in_process};

}  // namespace troupe
