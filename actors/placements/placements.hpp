#pragma once

#include <memory>

#include "actors/placements/host.hpp"
#include "actors/placements/hosting.hpp"
#include "actors/transport/start_needs.hpp"
#include "runtime/invalid.hpp"

namespace troupe {

/// The reaction of the driver to the loss of members.
enum class RecoveryPolicy : std::uint8_t {
  replace_workers,  ///< start a replacement for the lost worker, or continue without the worker
  form_again,       ///< end the run, and form it again from the nodes that then join, because the node's part of the
                    ///< state is lost as well
};

/// Describes a placement: its abilities, its requirements on a run and on the machine, and the function that creates
/// its host.
struct Rules {
  Reach reach = Reach::threads;
  bool takes_lambdas = false;  ///< workers can call a function object of this process, such as a lambda
  RecoveryPolicy recovery = RecoveryPolicy::replace_workers;
  const char* backend = "store";  ///< the backend of collectives in users' functions on workers
  /// Checks the options, and sets options that the user has left open.
  /// @throws Error invalid_argument if an option is invalid
  void (*check)(Hosting& hosting) = nullptr;
  /// Returns the number of nodes that host the workers; 0 on one machine.
  int (*num_nodes)(const ClusterOptions& cluster) = nullptr;
  /// Returns the number of threads of CAF's scheduler in the driver.
  std::size_t (*scheduler_threads)(const Hosting& hosting) = nullptr;
  /// Returns the needs of the driver's process and of the worker processes that it starts. The needs of the driver's
  /// store and of its CAF threads are not included.
  StartNeeds (*needs)(const Hosting& hosting) = nullptr;
  std::unique_ptr<Host> (*make_host)(const HostParts& parts) = nullptr;

  bool on_one_machine() const { return reach != Reach::machines; }
  bool replaces_workers() const { return recovery == RecoveryPolicy::replace_workers; }
};

// Each of these objects is defined in a file of its own, such as cluster_rules.cpp.
extern const Rules kInProcessRules;
extern const Rules kProcessesRules;
extern const Rules kClusterRules;

/// Returns the rules of a placement.
const Rules& rules_of(Placement placement);

/// Returns the needs of the driver: `Rules::needs`, its store, its CAF threads, and the writing of checkpoints if the
/// run writes any.
StartNeeds needs_of_driver(const Hosting& hosting);

}  // namespace troupe
