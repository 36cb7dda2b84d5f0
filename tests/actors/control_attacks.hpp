#pragma once

#include <string>
#include <vector>

#include "actors/control_frames.hpp"

namespace troupe_test {

/// The data that a node knows about its control connection.
struct Overheard {
  troupe::wire::NodeId node{};
  troupe::wire::NodeId driver{};
  std::uint64_t driver_actor = 0;
  std::uint64_t node_actor = 0;

  /// Learns the identities from a frame of either end.
  void hear(const Frame& whole);
};

/// Returns the names of all attacks. In an attack a hostile node replaces a frame that it should send.
std::vector<std::string> control_attacks();

/// Returns the frames of one attack. @param honest a message from the node to the driver
std::vector<Frame> control_attack(const std::string& name, const Overheard& overheard, const Frame& honest);

}  // namespace troupe_test
