#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "actors/messages/build.hpp"
#include "actors/messages/state_shape.hpp"
#include "runtime/net/data/membership.hpp"

namespace troupe {

/// Lists all fields except the role. The role follows from the position in a list of peers: the driver comes last.
template <class F>
auto fields(PeerNode& x, F visit) {
  return visit(x.name, x.label, at_most<Bound::host>(x.address.host), x.address.port);
}

/// A request to all nodes: begin a new generation. A node creates the slabs that its workers share, and accepts
/// connections of the other nodes.
struct BeginGeneration {
  using Reply = Done;
  std::uint64_t round = 0;
  std::uint64_t run = 0;
  std::uint64_t generation = 0;
  std::string token;
  std::int32_t self = 0;
  std::vector<PeerNode> peers;  ///< the driver comes last
  std::int32_t streams = 1;
  std::uint64_t size = 0;  ///< the number of floats of a flat vector
  StateShape state;
  std::int32_t buffers = 2;
  /// Element i is the number of a buffer of the carried generation. Its content is copied to buffer i of the new
  /// generation.
  std::vector<std::int32_t> carried;
  std::uint64_t carried_generation = 0;  ///< the last generation that began on all nodes
  PlanRequest plan;
  // The remaining fields are used if the node has a parameter server.
  /// The number of lanes of each worker that fetches from servers; 0: there are no servers.
  std::int32_t served_devices = 0;
  std::uint64_t learned_size = 0;  ///< the number of floats with a gradient; the floats after them are statistics
  std::string optimizer;           ///< OptimizerSettings as JSON
};
template <class F>
auto fields(BeginGeneration& x, F visit) {
  return visit(x.round, x.run, x.generation, at_most<Bound::token>(x.token), x.self, at_most<Bound::members>(x.peers),
               x.streams, x.size, x.state, x.buffers, at_most<Bound::buffers>(x.carried), x.carried_generation, x.plan,
               x.served_devices, x.learned_size, at_most<Bound::setting>(x.optimizer));
}

/// A request to all nodes: form a group for functions on workers of several nodes. The group has its own membership,
/// without the driver.
struct BeginGroup {
  using Reply = Done;
  std::uint64_t round = 0;
  std::uint64_t run = 0;
  std::uint64_t generation = 0;
  std::string token;
  std::int32_t self = 0;
  std::vector<PeerNode> peers;  ///< the driver comes last, without an address
  std::int32_t streams = 1;
  std::vector<std::int32_t> node_of_rank;  ///< by rank, the index of the worker's node; a worker's rank is its number
};
template <class F>
auto fields(BeginGroup& x, F visit) {
  return visit(x.round, x.run, x.generation, at_most<Bound::token>(x.token), x.self, at_most<Bound::members>(x.peers),
               x.streams, at_most<Bound::replicas>(x.node_of_rank));
}

/// A request to a node: connect to the other nodes.
struct Connect {
  using Reply = Done;
  std::uint64_t round = 0;
  std::int64_t timeout_ms = 0;
};
template <class F>
auto fields(Connect& x, F visit) {
  return visit(x.round, x.timeout_ms);
}

/// A request to a node: let workers map the shared slabs.
struct Publish {
  using Reply = Done;
  std::uint64_t round = 0;
  /// If there are parameter servers: by shard, the generation for which the slab of its gradient was made.
  std::vector<std::uint64_t> gradients;
};
template <class F>
auto fields(Publish& x, F visit) {
  return visit(x.round, at_most<Bound::shards>(x.gradients));
}

}  // namespace troupe
