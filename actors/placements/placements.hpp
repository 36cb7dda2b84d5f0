#pragma once

#include <memory>

#include "actors/placements/host.hpp"
#include "actors/transport/start_needs.hpp"
#include "runtime/invalid.hpp"

namespace troupe {

/// What a placement asks of options and of the machine, and what it is made by.
struct Rules {
  Reach reach = Reach::threads;
  bool takes_lambdas = false;  ///< workers can be handed functions of this process
  /// Fills in what options leave open. @throws Error invalid_argument
  void (*check)(Options& options) = nullptr;
  /// That host the workers; 0 on one machine.
  int (*num_nodes)(const Options& options) = nullptr;
  /// Of CAF in the driver.
  std::size_t (*scheduler_threads)(const Options& options) = nullptr;
  /// Of the driver, and of the worker processes that it starts, beside its store and CAF.
  StartNeeds (*needs)(const Options& options, int state_vectors) = nullptr;
  std::unique_ptr<Host> (*make_host)(const HostParts& parts) = nullptr;
};

// Each in a file of its name, such as cluster_rules.cpp.
extern const Rules kInProcessRules;
extern const Rules kProcessesRules;
extern const Rules kClusterRules;

const Rules& rules_of(Placement placement);

/// Of the whole driver.
StartNeeds needs_of_driver(const Options& options, int state_vectors);

/// Files of everybody's gradients, and of what the driver shares.
inline int slab_files(const Options& options, int state_vectors) {
  const int buffers = (options.checkpoint.folder.empty() ? 2 : 3) + options.fault_tolerance.backup_workers;
  const int gradients = options.fault_tolerance.backup_workers > 0 ? 2 : 1;  // of each shard
  return buffers * (1 + state_vectors) + gradients * options.num_shards + 1;
}

}  // namespace troupe
