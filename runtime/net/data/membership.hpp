#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "runtime/net/address.hpp"
#include "runtime/net/certificates/role.hpp"
#include "runtime/net/gate/hello.hpp"

namespace troupe {

/// A participant of the data plane: a node, or the driver if data passes between the driver and the nodes.
struct PeerNode {
  std::string name;        ///< common name in its certificate
  Address address;         ///< address at which its gate listens
  Role role = Role::node;  ///< role in its certificate
  std::string label = {};  ///< name in error messages; empty: `name` is used
};

/// The participants of the data plane in one generation of a run.
struct Membership {
  std::uint64_t run = 0;
  std::uint64_t generation = 0;
  Token token = {};             ///< secret that every data connection of this generation must send
  int self = 0;                 ///< index of this process in `nodes`
  std::vector<PeerNode> nodes;  ///< indexed by node number
  int streams = 1;              ///< number of connections to each other node, in each direction
};

}  // namespace troupe
