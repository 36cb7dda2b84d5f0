#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "runtime/net/address.hpp"
#include "runtime/net/certificates/role.hpp"
#include "runtime/net/gate/hello.hpp"

namespace troupe {

/// One node of a membership; the driver may be one, for what passes between it and the nodes.
struct PeerNode {
  std::string name;        ///< of its certificate
  Address address;         ///< where its gate listens
  Role role = Role::node;  ///< of its certificate
  std::string label = {};  ///< what errors call it; empty: its name
};

/// All nodes of one generation of a run.
struct Membership {
  std::uint64_t run = 0;
  std::uint64_t generation = 0;
  Token token = {};
  int self = 0;  ///< this node's number
  std::vector<PeerNode> nodes;
  int streams = 1;  ///< connections to each other node, in each direction
};

}  // namespace troupe
