#pragma once

#include <cstdint>
#include <string>

namespace troupe {

/// How gradients become one update.
enum class Strategy : std::uint8_t {
  automatic,         ///< sharded on one machine, hierarchical among nodes
  sharded,           ///< on one machine: each worker adds and updates its slice
  driver,            ///< on one machine: the driver adds all
  hierarchical,      ///< among nodes: each adds its shards, slices of the sums go to their owners, new weights around
  ring,              ///< among nodes: likewise, each replica by itself
  parameter_server,  ///< among nodes: every gradient goes to the nodes that own the slices
};

/// The strategy's name, as `troupe train --strategy` takes it: "auto", "parameter-server", the others as they are
/// written here; "unknown" for a number that is none's.
const char* to_string(Strategy strategy);

/// The strategy of that name. @throws Error invalid_argument for a name that none has.
Strategy strategy_of(const std::string& name);

}  // namespace troupe
