#pragma once

#include <cstdint>
#include <string>

#include "actors/messages/failure.hpp"

namespace troupe {

/// To a worker, once the state's slabs of a generation are there: make those of its gradients, and map what it is to
/// write.
struct MakeSlabs {
  using Reply = Done;
  std::uint64_t round = 0;
  std::uint64_t run = 0;
  std::uint64_t generation = 0;
  std::int32_t buffers = 2;
  std::string optimizer;  ///< OptimizerOptions as JSON
};
template <class F>
auto fields(MakeSlabs& x, F visit) {
  return visit(x.round, x.run, x.generation, x.buffers, at_most<Bound::setting>(x.optimizer));
}

/// To a worker, once all have made theirs: map what it is to read.
struct MapSlabs {
  using Reply = Done;
  std::uint64_t round = 0;
};
template <class F>
auto fields(MapSlabs& x, F visit) {
  return visit(x.round);
}

}  // namespace troupe
