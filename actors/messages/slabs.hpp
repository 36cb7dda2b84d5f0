#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "actors/messages/failure.hpp"
#include "actors/messages/state_shape.hpp"

namespace troupe {

/// A request to a worker, sent once the state's slabs of a generation exist: make the slabs of its gradients unless
/// they exist already, and map the slabs that it writes.
struct MakeSlabs {
  using Reply = Done;
  std::uint64_t round = 0;
  std::uint64_t run = 0;
  std::uint64_t generation = 0;
  std::int32_t buffers = 2;
  std::uint64_t gradients = 0;  ///< the generation that the slabs of its gradients were made for, or are to be made for
  std::string optimizer;        ///< OptimizerSettings as JSON
  StateShape state;
  /// Options as JSON of the rule by which owners update their slices, if `optimizer` is for the shards' own steps.
  std::string outer;
};
template <class F>
auto fields(MakeSlabs& x, F visit) {
  return visit(x.round, x.run, x.generation, x.buffers, x.gradients, at_most<Bound::setting>(x.optimizer), x.state,
               at_most<Bound::setting>(x.outer));
}

/// A request to a worker, sent once all workers have made their slabs: map the slabs that it reads.
struct MapSlabs {
  using Reply = Done;
  std::uint64_t round = 0;
  /// By lane, the generation that the slabs of its worker's gradients were made for.
  std::vector<std::uint64_t> gradients;
  bool served = false;  ///< parameter servers serve the weights
};
template <class F>
auto fields(MapSlabs& x, F visit) {
  return visit(x.round, at_most<Bound::replicas>(x.gradients), x.served);
}

}  // namespace troupe
