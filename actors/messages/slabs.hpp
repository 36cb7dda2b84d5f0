#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "actors/messages/failure.hpp"
#include "actors/messages/state_shape.hpp"

namespace troupe {

/// To a worker, once the state's slabs of a generation are there: make those of its gradients, unless it has them, and
/// map what it is to write.
struct MakeSlabs {
  using Reply = Done;
  std::uint64_t round = 0;
  std::uint64_t run = 0;
  std::uint64_t generation = 0;
  std::int32_t buffers = 2;
  std::uint64_t gradients = 0;  ///< the generation that its gradients' slabs were, or are to be, made for
  std::string optimizer;        ///< OptimizerSettings as JSON
  StateShape state;
  std::string outer;  ///< as well, of the rule that owners of slices go by where `optimizer` is for shards' own steps
};
template <class F>
auto fields(MakeSlabs& x, F visit) {
  return visit(x.round, x.run, x.generation, x.buffers, x.gradients, at_most<Bound::setting>(x.optimizer), x.state,
               at_most<Bound::setting>(x.outer));
}

/// To a worker, once all have made theirs: map what it is to read.
struct MapSlabs {
  using Reply = Done;
  std::uint64_t round = 0;
  std::vector<std::uint64_t> gradients;  ///< by lane, the generation that its worker's gradients' slabs were made for
  bool served = false;                   ///< parameter servers serve weights
};
template <class F>
auto fields(MapSlabs& x, F visit) {
  return visit(x.round, at_most<Bound::replicas>(x.gradients), x.served);
}

}  // namespace troupe
