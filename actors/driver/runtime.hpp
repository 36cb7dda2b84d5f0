#pragma once

#include <memory>

#include "actors/driver/driver.hpp"
#include "actors/placements/placements.hpp"

namespace troupe {

struct Driver::Runtime {
  Runtime(const Options& options, int num_workers)
      : store(options.store_bytes),
        config(rules_of(options.placement).scheduler_threads(options), rules_of(options.placement).reach,
               options.cut_after),
        system(config),
        mailbox(system),
        members(num_workers, options.devices_per_worker, rules_of(options.placement).num_nodes(options),
                options.num_shards) {}

  ObjectStore store;  ///< outlives the actors, which release what they hold in it
  SystemConfig config;
  caf::actor_system system;
  DriverMailbox mailbox;
  Members members;
  std::unique_ptr<Host> host;
  Runtime* given_up_before = nullptr;
};

}  // namespace troupe
