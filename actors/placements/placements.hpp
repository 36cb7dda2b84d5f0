#pragma once

#include <memory>

#include "actors/placements/host.hpp"
#include "actors/placements/hosting.hpp"
#include "actors/transport/start_needs.hpp"
#include "runtime/invalid.hpp"

namespace troupe {

/// What becomes of members that were lost.
enum class RecoveryPolicy : std::uint8_t {
  replace_workers,  ///< others start in their places, or are done without, one by one: workers come and go
  form_again,       ///< a node's part of the state goes with it: the run ends, and is formed again of those that come
};

/// What a placement can do, what it asks of a run and of the machine, and what it is made by.
struct Rules {
  Reach reach = Reach::threads;
  bool takes_lambdas = false;  ///< workers can be handed functions of this process
  RecoveryPolicy recovery = RecoveryPolicy::replace_workers;
  const char* backend = "store";  ///< by which functions on workers reach each other
  /// Fills in what is left open. @throws Error invalid_argument
  void (*check)(Hosting& hosting) = nullptr;
  /// That host the workers; 0 on one machine.
  int (*num_nodes)(const ClusterOptions& cluster) = nullptr;
  /// Of CAF in the driver.
  std::size_t (*scheduler_threads)(const Hosting& hosting) = nullptr;
  /// Of the driver, and of the worker processes that it starts, beside its store and CAF.
  StartNeeds (*needs)(const Hosting& hosting) = nullptr;
  std::unique_ptr<Host> (*make_host)(const HostParts& parts) = nullptr;

  bool on_one_machine() const { return reach != Reach::machines; }
  bool replaces_workers() const { return recovery == RecoveryPolicy::replace_workers; }
};

// Each in a file of its name, such as cluster_rules.cpp.
extern const Rules kInProcessRules;
extern const Rules kProcessesRules;
extern const Rules kClusterRules;

const Rules& rules_of(Placement placement);

/// Of the whole driver.
StartNeeds needs_of_driver(const Hosting& hosting);

}  // namespace troupe
