#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "actors/messages/failure.hpp"
#include "actors/messages/state_shape.hpp"

namespace troupe {

/// A request to a worker, sent when the state's slabs of a generation exist: create the slabs of its gradients unless
/// they already exist, and map the slabs that it writes.
struct MakeSlabs {
  using Reply = Done;
  std::uint64_t round = 0;
  std::uint64_t run = 0;
  std::uint64_t generation = 0;
  std::int32_t buffers = 2;
  /// The generation for which the slabs of the worker's gradients must have been made. If they were made for another
  /// one, the worker makes new slabs.
  std::uint64_t gradients = 0;
  std::string optimizer;  ///< OptimizerSettings as JSON
  StateShape state;
  /// If each shard takes steps of its own with `optimizer`: the OptimizerSettings, as JSON, of the rule with which the
  /// owners of slices update the state. Otherwise empty.
  std::string outer;
};
template <class F>
auto fields(MakeSlabs& x, F visit) {
  return visit(x.round, x.run, x.generation, x.buffers, x.gradients, at_most<Bound::setting>(x.optimizer), x.state,
               at_most<Bound::setting>(x.outer));
}

/// A request to a worker, sent when all workers have made their slabs: map the slabs that it reads.
struct MapSlabs {
  using Reply = Done;
  std::uint64_t round = 0;
  /// By lane, the generation for which the gradient slabs of the lane's worker were made.
  std::vector<std::uint64_t> gradients;
  bool served = false;  ///< parameter servers serve the weights
};
template <class F>
auto fields(MapSlabs& x, F visit) {
  return visit(x.round, at_most<Bound::replicas>(x.gradients), x.served);
}

}  // namespace troupe
