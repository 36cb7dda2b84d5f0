#pragma once

#include <memory>

#include "actors/placements/host.hpp"
#include "actors/placements/hosting.hpp"
#include "actors/transport/start_needs.hpp"
#include "runtime/invalid.hpp"

namespace troupe {

/// How the driver reacts to the loss of a member.
enum class RecoveryPolicy : std::uint8_t {
  replace_workers,  ///< start a replacement for the lost worker, or continue without it
  /// End the run, and form it again from the nodes that then join. This is necessary because a part of the state is
  /// lost with the node.
  form_again,
};

/// Describes a placement: its abilities, the checks of its options, the threads and files that it needs, and the
/// function that creates its host.
struct Rules {
  Reach reach = Reach::threads;
  bool takes_lambdas = false;  ///< workers can call a function object of the driver's process, such as a lambda
  RecoveryPolicy recovery = RecoveryPolicy::replace_workers;
  const char* backend = "store";  ///< the name of the backend that users' functions on workers use for collectives
  /// Checks the options in `hosting`, and sets options that the user has not set.
  /// @throws Error invalid_argument if an option is invalid
  void (*check)(Hosting& hosting) = nullptr;
  /// Returns the number of nodes that host the workers; 0 if all workers run on one machine.
  int (*num_nodes)(const ClusterOptions& cluster) = nullptr;
  /// Returns the number of threads of CAF's scheduler in the driver.
  std::size_t (*scheduler_threads)(const Hosting& hosting) = nullptr;
  /// Returns the numbers of threads and files that the driver's process and its worker processes need. The needs of the
  /// driver's object store and of its CAF threads are not included.
  StartNeeds (*needs)(const Hosting& hosting) = nullptr;
  std::unique_ptr<Host> (*make_host)(const HostParts& parts) = nullptr;

  bool on_one_machine() const { return reach != Reach::machines; }
  bool replaces_workers() const { return recovery == RecoveryPolicy::replace_workers; }
};

// The descriptions of the three placements. Each is defined in a file of its own, such as cluster_rules.cpp.
extern const Rules kInProcessRules;
extern const Rules kProcessesRules;
extern const Rules kClusterRules;

/// Returns the description of `placement`.
const Rules& rules_of(Placement placement);

/// Returns the numbers of threads and files that the driver needs in total: `Rules::needs`, its object store, its CAF
/// threads, and, if the run writes checkpoints, the threads that write them.
StartNeeds needs_of_driver(const Hosting& hosting);

}  // namespace troupe
