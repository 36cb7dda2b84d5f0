#pragma once

#include <memory>

#include "actors/placements/host.hpp"
#include "actors/placements/hosting.hpp"
#include "actors/transport/start_needs.hpp"
#include "runtime/invalid.hpp"

namespace troupe {

/// What the driver does about lost members.
enum class RecoveryPolicy : std::uint8_t {
  replace_workers,  ///< start replacements, or continue without the lost worker
  form_again,       ///< the node's part of the state is lost: end the run, and form it again from the nodes that join
};

/// What a placement supports, what it requires of a run and of the machine, and how its host is created.
struct Rules {
  Reach reach = Reach::threads;
  bool takes_lambdas = false;  ///< workers can call functions of this process
  RecoveryPolicy recovery = RecoveryPolicy::replace_workers;
  const char* backend = "store";  ///< the backend that connects functions on workers
  /// Sets options that are left open.
  /// @throws Error invalid_argument if an option is invalid
  void (*check)(Hosting& hosting) = nullptr;
  /// Number of nodes that host the workers; 0 on one machine.
  int (*num_nodes)(const ClusterOptions& cluster) = nullptr;
  /// Number of threads of CAF's scheduler in the driver.
  std::size_t (*scheduler_threads)(const Hosting& hosting) = nullptr;
  /// Needs of the driver and of the worker processes that it starts, excluding the driver's store and CAF.
  StartNeeds (*needs)(const Hosting& hosting) = nullptr;
  std::unique_ptr<Host> (*make_host)(const HostParts& parts) = nullptr;

  bool on_one_machine() const { return reach != Reach::machines; }
  bool replaces_workers() const { return recovery == RecoveryPolicy::replace_workers; }
};

// Each is defined in its own file, such as cluster_rules.cpp.
extern const Rules kInProcessRules;
extern const Rules kProcessesRules;
extern const Rules kClusterRules;

const Rules& rules_of(Placement placement);

/// Returns the needs of the whole driver.
StartNeeds needs_of_driver(const Hosting& hosting);

}  // namespace troupe
