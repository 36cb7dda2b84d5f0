#include "actors/placements/start_needs.hpp"

#include <algorithm>

#include "runtime/processes/cores.hpp"

namespace troupe {
namespace {

constexpr int kStoreThreads = 1;
constexpr int kStoreFiles = 3;  ///< of its loop
constexpr int kGateThreads = 1;
constexpr int kGateFiles = 4;      ///< its listener's and its loop's
constexpr int kReceiverFiles = 2;  ///< of a data plane
constexpr int kBrief = 5;          ///< files that are open for a moment only
constexpr int kNetworkFiles = 4;   ///< CAF's multiplexer, and its listener or connection

/// CAF's scheduler, clock and printer, and where it speaks to other processes a multiplexer and a manager.
int caf_threads(std::size_t scheduler, Placement placement) {
  return static_cast<int>(scheduler) + 2 + (placement == Placement::in_process ? 0 : 2);
}

/// Everybody's gradients, and what the driver shares.
int slab_files(const Options& options, int state_vectors) { return 2 * (1 + state_vectors) + options.num_shards + 1; }

}  // namespace

std::size_t scheduler_threads(const Options& options) {
  if (options.placement != Placement::in_process) return 1;
  return static_cast<std::size_t>(std::clamp(options.num_workers, 1, usable_cores()));
}

StartNeeds needs_of_driver(const Options& options, int state_vectors) {
  StartNeeds needs;
  needs.threads = kStoreThreads + caf_threads(scheduler_threads(options), options.placement);
  needs.files = kStoreFiles + kBrief;
  switch (options.placement) {
    case Placement::in_process:
      needs.threads += options.num_workers * options.devices_per_worker;
      needs.files += slab_files(options, state_vectors);
      break;
    case Placement::processes:
      needs.others = options.num_workers * (1 + caf_threads(1, options.placement) + options.devices_per_worker);
      // A worker's connection, store socket, handle and last words.
      needs.files += kNetworkFiles + slab_files(options, state_vectors) + 4 * options.num_workers;
      break;
    case Placement::cluster:
      needs.threads += kGateThreads + 1;
      // A node's control connection takes three, a data connection one each way.
      needs.files +=
          kNetworkFiles + kGateFiles + kReceiverFiles + options.cluster.num_nodes * (3 + 2 * options.cluster.streams);
      break;
  }
  return needs;
}

StartNeeds needs_of_system() { return {caf_threads(1, Placement::processes) + 1, 0, kNetworkFiles + kBrief}; }

StartNeeds needs_of_node() {
  StartNeeds needs;
  needs.threads = kStoreThreads + kGateThreads + node_receivers() + needs_of_system().threads;
  needs.files = kStoreFiles + kGateFiles + kReceiverFiles + needs_of_system().files;
  return needs;
}

/// The other two are the child's first thread, and the one that follows its parent.
StartNeeds needs_of_supervisor() { return {needs_of_node().threads, 2, needs_of_node().files}; }

StartNeeds needs_of_worker() { return {1, 0, kBrief}; }

int node_receivers() { return std::clamp(usable_cores() / 2, 1, 4); }

}  // namespace troupe
