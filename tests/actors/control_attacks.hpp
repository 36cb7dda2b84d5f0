#pragma once

#include <string>
#include <vector>

#include "actors/control_frames.hpp"

namespace troupe_test {

/// What a node knows of its control connection.
struct Overheard {
  troupe::wire::NodeId node{};
  troupe::wire::NodeId driver{};
  std::uint64_t driver_actor = 0;
  std::uint64_t node_actor = 0;

  /// Learns from a frame that either end has sent.
  void hear(const Frame& whole);
};

/// Names of what a hostile node may send in place of a frame that it should send.
std::vector<std::string> control_attacks();

/// The frames of one attack. @param honest a message of the node's to the driver
std::vector<Frame> control_attack(const std::string& name, const Overheard& overheard, const Frame& honest);

}  // namespace troupe_test
