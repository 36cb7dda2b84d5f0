#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "runtime/net/address.hpp"
#include "runtime/net/certificates/role.hpp"
#include "runtime/net/gate/hello.hpp"

namespace troupe {

/// A node of a membership. The driver may be one, for data that passes between it and the nodes.
struct PeerNode {
  std::string name;        ///< name in its certificate
  Address address;         ///< where its gate listens
  Role role = Role::node;  ///< role in its certificate
  std::string label = {};  ///< name in errors; empty: `name`
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
