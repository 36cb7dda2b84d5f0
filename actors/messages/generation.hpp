#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "actors/messages/build.hpp"
#include "actors/messages/state_shape.hpp"
#include "runtime/net/data/membership.hpp"

namespace troupe {

/// Lists all fields except `role`, which is not sent: the last peer in a list is the driver, and all others are nodes.
template <class F>
auto fields(PeerNode& x, F visit) {
  return visit(x.name, x.label, at_most<Bound::host>(x.address.host), x.address.port);
}

/// A request to all nodes: begin a new generation. Each node creates the slabs that its workers share, and then accepts
/// data connections of the other nodes.
struct BeginGeneration {
  using Reply = Done;
  std::uint64_t round = 0;
  std::uint64_t run = 0;
  std::uint64_t generation = 0;
  std::string token;
  std::int32_t self = 0;
  std::vector<PeerNode> peers;  ///< the nodes in order of index, and then the driver
  std::int32_t streams = 1;
  std::uint64_t size = 0;  ///< the number of floats of a flat vector
  StateShape state;
  std::int32_t buffers = 2;
  /// Buffers to copy from an earlier generation (`carried_generation`): the buffer of that generation with the number
  /// `carried[i]` is copied to buffer i of the new generation.
  std::vector<std::int32_t> carried;
  std::uint64_t carried_generation =
      0;  ///< the generation from which buffers are copied: the last one that began on all nodes
  PlanRequest plan;
  // The remaining fields are used only if nodes have parameter servers.
  /// The number of lanes of each worker; 0: there are no parameter servers.
  std::int32_t served_devices = 0;
  std::uint64_t learned_size = 0;  ///< the number of floats that have a gradient; the remaining floats are statistics
  std::string optimizer;           ///< OptimizerSettings as JSON
};
template <class F>
auto fields(BeginGeneration& x, F visit) {
  return visit(x.round, x.run, x.generation, at_most<Bound::token>(x.token), x.self, at_most<Bound::members>(x.peers),
               x.streams, x.size, x.state, x.buffers, at_most<Bound::buffers>(x.carried), x.carried_generation, x.plan,
               x.served_devices, x.learned_size, at_most<Bound::setting>(x.optimizer));
}

/// A request to all nodes: form a group, in which users' functions on the workers of all nodes run collectives. The
/// group has its own membership: its nodes connect to each other for this group only. The driver does not take part in
/// the group.
struct BeginGroup {
  using Reply = Done;
  std::uint64_t round = 0;
  std::uint64_t run = 0;
  std::uint64_t generation = 0;
  std::string token;
  std::int32_t self = 0;
  std::vector<PeerNode> peers;  ///< the nodes in order of index, and then the driver, without an address
  std::int32_t streams = 1;
  std::vector<std::int32_t> node_of_rank;  ///< by rank: the index of the worker's node; a worker's rank is its number
};
template <class F>
auto fields(BeginGroup& x, F visit) {
  return visit(x.round, x.run, x.generation, at_most<Bound::token>(x.token), x.self, at_most<Bound::members>(x.peers),
               x.streams, at_most<Bound::replicas>(x.node_of_rank));
}

/// A request to a node: open the data connections to the other nodes.
struct Connect {
  using Reply = Done;
  std::uint64_t round = 0;
  std::int64_t timeout_ms = 0;
};
template <class F>
auto fields(Connect& x, F visit) {
  return visit(x.round, x.timeout_ms);
}

/// A request to a node: allow the workers to map the slabs that `BeginGeneration` has created.
struct Publish {
  using Reply = Done;
  std::uint64_t round = 0;
  /// By shard: the generation for which the slab of the shard's gradient was made. Set only if there are parameter
  /// servers.
  std::vector<std::uint64_t> gradients;
};
template <class F>
auto fields(Publish& x, F visit) {
  return visit(x.round, at_most<Bound::shards>(x.gradients));
}

}  // namespace troupe
