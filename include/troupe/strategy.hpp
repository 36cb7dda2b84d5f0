#pragma once

// The ways to reduce the gradients of all shards: values for GradientOptions::strategy.

#include <cstdint>
#include <string>

namespace troupe {

/// The way in which the gradients of all shards become one update. In the descriptions, a *slice* is the part of the
/// weights that one worker or node updates.
enum class Strategy : std::uint8_t {
  /// Uses `sharded` on one machine, and `hierarchical` among nodes (default).
  automatic,
  /// For one machine only. Each worker adds the gradients of its slice and updates that slice.
  sharded,
  /// For one machine only. The driver adds all gradients.
  driver,
  /// For nodes only. Each node adds the gradients of its own shards. It sends each slice of the sum to the node that
  /// owns the slice. The new weights are then passed from node to node around a ring.
  hierarchical,
  /// For nodes only. Works like `hierarchical`, but each replica, instead of each node, sends its own sums.
  ring,
  /// For nodes only. For each shard, slices of the gradient are sent to the nodes that own the slices.
  parameter_server,
};

/// Returns the name of the strategy for `troupe train --strategy`: "auto" for `automatic`, "parameter-server" for
/// `parameter_server`, and the enumerator's name for the other strategies. Returns "unknown" for a value that is not an
/// enumerator.
const char* to_string(Strategy strategy);

/// Returns the strategy with this name (see `to_string`).
/// @throws Error invalid_argument if there is no strategy with this name.
Strategy strategy_of(const std::string& name);

}  // namespace troupe
