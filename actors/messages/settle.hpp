#pragma once

#include <cstdint>

#include "actors/messages/failure.hpp"

namespace troupe {

/// To a worker: answer when all that was asked before is done.
struct Fence {
  using Reply = Done;
  std::uint64_t round = 0;
};
template <class F>
auto fields(Fence& x, F visit) {
  return visit(x.round);
}

/// To a worker of the driver's process: end the replicas.
struct Stop {
  using Reply = Done;
  std::uint64_t round = 0;
};
template <class F>
auto fields(Stop& x, F visit) {
  return visit(x.round);
}

}  // namespace troupe
