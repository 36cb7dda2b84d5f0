#include "actors/transport/start_needs.hpp"

#include <algorithm>

#include "runtime/processes/cores.hpp"

namespace troupe {

int caf_threads(std::size_t scheduler, Reach reach) {
  return static_cast<int>(scheduler) + 2 + (reach == Reach::threads ? 0 : 2);
}

StartNeeds needs_of_system() { return {caf_threads(1, Reach::processes) + 1, 0, kNetworkNeeds.files + kBriefFiles}; }

StartNeeds needs_of_node() {
  return {kStoreNeeds.threads + kGateNeeds.threads + node_receivers() + needs_of_system().threads, 0,
          kStoreNeeds.files + kGateNeeds.files + kReceiverFiles + needs_of_system().files};
}

/// The two additional threads belong to the child process that serves a run: its main thread, and the thread that
/// detects the end of its parent process.
StartNeeds needs_of_supervisor() { return {needs_of_node().threads, 2, needs_of_node().files}; }

StartNeeds needs_of_worker() { return {1, 0, kBriefFiles}; }

int node_receivers() { return std::clamp(usable_cores() / 2, 1, 4); }

}  // namespace troupe
