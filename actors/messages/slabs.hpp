#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "actors/messages/failure.hpp"
#include "actors/messages/state_shape.hpp"

namespace troupe {

/// A request to a worker: create the slabs for its gradients, unless they already exist, and map all slabs that the
/// worker writes. Sent when the slabs of the state exist for a new generation.
struct MakeSlabs {
  using Reply = Done;
  std::uint64_t round = 0;
  std::uint64_t run = 0;
  std::uint64_t generation = 0;
  std::int32_t buffers = 2;
  /// The generation for which the slabs of the worker's gradients must have been created. If they were created for
  /// another generation, the worker creates new slabs.
  std::uint64_t gradients = 0;
  std::string optimizer;  ///< OptimizerSettings as JSON
  StateShape state;
  /// In local SGD: the settings (OptimizerSettings, as JSON) of the outer rule, with which the owners of slices update
  /// the shared weights. Each shard updates its own copy with `optimizer`. Empty for other algorithms.
  std::string outer;
};
template <class F>
auto fields(MakeSlabs& x, F visit) {
  return visit(x.round, x.run, x.generation, x.buffers, x.gradients, at_most<Bound::setting>(x.optimizer), x.state,
               at_most<Bound::setting>(x.outer));
}

/// A request to a worker: map the slabs that the worker reads. Sent when all workers have created their slabs.
struct MapSlabs {
  using Reply = Done;
  std::uint64_t round = 0;
  /// By lane: the generation for which the gradient slabs of the lane's worker were created.
  std::vector<std::uint64_t> gradients;
  bool served = false;  ///< whether parameter servers send the weights to workers
};
template <class F>
auto fields(MapSlabs& x, F visit) {
  return visit(x.round, at_most<Bound::replicas>(x.gradients), x.served);
}

}  // namespace troupe
