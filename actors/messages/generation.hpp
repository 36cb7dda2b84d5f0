#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "actors/messages/build.hpp"
#include "actors/messages/state_shape.hpp"
#include "runtime/net/data/membership.hpp"

namespace troupe {

/// Without its role: the driver comes last.
template <class F>
auto fields(PeerNode& x, F visit) {
  return visit(x.name, x.label, at_most<Bound::host>(x.address.host), x.address.port);
}

/// To all nodes: a new generation. Make the slabs that its workers share, and take connections of the others.
struct BeginGeneration {
  using Reply = Done;
  std::uint64_t round = 0;
  std::uint64_t run = 0;
  std::uint64_t generation = 0;
  std::string token;
  std::int32_t self = 0;
  std::vector<PeerNode> peers;  ///< the driver comes last
  std::int32_t streams = 1;
  std::uint64_t size = 0;  ///< floats of the flat vectors
  StateShape state;
  std::int32_t buffers = 2;
  std::vector<std::int32_t> carried;     ///< buffer i begins as this one of the generation before
  std::uint64_t carried_generation = 0;  ///< which is the last that began everywhere
  PlanRequest plan;
  // Where the node has a parameter server.
  std::int32_t served_devices = 0;  ///< lanes of each worker that servers serve; 0: there are no servers
  std::uint64_t learned_size = 0;   ///< floats with a gradient; behind them lie statistics
  std::string optimizer;            ///< OptimizerSettings as JSON
};
template <class F>
auto fields(BeginGeneration& x, F visit) {
  return visit(x.round, x.run, x.generation, at_most<Bound::token>(x.token), x.self, at_most<Bound::members>(x.peers),
               x.streams, x.size, x.state, x.buffers, at_most<Bound::buffers>(x.carried), x.carried_generation, x.plan,
               x.served_devices, x.learned_size, at_most<Bound::setting>(x.optimizer));
}

/// To all nodes: functions are to run on workers of several nodes, which reach each other in a membership of their own,
/// to which the driver does not belong.
struct BeginGroup {
  using Reply = Done;
  std::uint64_t round = 0;
  std::uint64_t run = 0;
  std::uint64_t generation = 0;
  std::string token;
  std::int32_t self = 0;
  std::vector<PeerNode> peers;  ///< the driver comes last, without an address
  std::int32_t streams = 1;
  std::vector<std::int32_t> node_of_rank;  ///< a rank is its worker's number
};
template <class F>
auto fields(BeginGroup& x, F visit) {
  return visit(x.round, x.run, x.generation, at_most<Bound::token>(x.token), x.self, at_most<Bound::members>(x.peers),
               x.streams, at_most<Bound::replicas>(x.node_of_rank));
}

/// To a node: dial the others.
struct Connect {
  using Reply = Done;
  std::uint64_t round = 0;
  std::int64_t timeout_ms = 0;
};
template <class F>
auto fields(Connect& x, F visit) {
  return visit(x.round, x.timeout_ms);
}

/// To a node: workers may map the shared slabs.
struct Publish {
  using Reply = Done;
  std::uint64_t round = 0;
  std::vector<std::uint64_t> gradients;  ///< where there are parameter servers: by shard, the generation that its
                                         ///< gradient's slab was made for
};
template <class F>
auto fields(Publish& x, F visit) {
  return visit(x.round, at_most<Bound::shards>(x.gradients));
}

}  // namespace troupe
