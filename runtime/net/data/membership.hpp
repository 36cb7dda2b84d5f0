#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "runtime/net/address.hpp"
#include "runtime/net/certificates/role.hpp"
#include "runtime/net/gate/hello.hpp"

namespace troupe {

/// A participant of the data plane. The participants are the nodes, and also the driver if the driver and the nodes
/// send each other data.
struct PeerNode {
  std::string name;  ///< common name in the participant's certificate
  /// Address at which the participant's gate listens; an empty host means that it does not accept connections.
  Address address;
  Role role = Role::node;  ///< role in the participant's certificate
  std::string label = {};  ///< name in error messages; empty: `name` is used
};

/// The participants of the data plane in one generation of a run.
struct Membership {
  std::uint64_t run = 0;
  std::uint64_t generation = 0;
  Token token = {};             ///< a secret, which the hello of each data connection of this generation must contain
  int self = 0;                 ///< index of this process in `nodes`
  std::vector<PeerNode> nodes;  ///< indexed by node number
  int streams = 1;              ///< number of connections to each other node, in each direction
};

}  // namespace troupe
