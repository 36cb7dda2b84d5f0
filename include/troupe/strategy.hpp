#pragma once

// The ways to reduce the gradients of all shards: values for GradientOptions::strategy.

#include <cstdint>
#include <string>

namespace troupe {

/// The way in which the gradients of all shards become one update. A *slice* is the part of the weights that one worker
/// or node updates.
enum class Strategy : std::uint8_t {
  /// Chooses `sharded` on one machine and `hierarchical` among nodes (default).
  automatic,
  /// One machine only. Each worker adds the gradients of its slice and updates that slice.
  sharded,
  /// One machine only. The driver adds all gradients.
  driver,
  /// Nodes only. Each node adds the gradients of its own shards and sends slices of the sums to the owners of the
  /// slices. The new weights then travel around a ring.
  hierarchical,
  /// Nodes only. Works like `hierarchical`, but each replica sends its own sums.
  ring,
  /// Nodes only. Every gradient is sent to the nodes that own the slices.
  parameter_server,
};

/// Returns the name that `troupe train --strategy` takes: "auto", "parameter-server", or the enumerator's own name for
/// the other strategies. Returns "unknown" for a value that is not an enumerator.
const char* to_string(Strategy strategy);

/// Returns the strategy with this name (see `to_string`).
/// @throws Error invalid_argument if there is no strategy with this name.
Strategy strategy_of(const std::string& name);

}  // namespace troupe
