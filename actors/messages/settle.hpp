#pragma once

#include <cstdint>

#include "actors/messages/failure.hpp"

namespace troupe {

/// A request to a worker: reply as soon as all earlier requests are finished.
struct Fence {
  using Reply = Done;
  std::uint64_t round = 0;
};
template <class F>
auto fields(Fence& x, F visit) {
  return visit(x.round);
}

/// A request to a worker in the driver's process: destroy the models of the replicas.
struct Stop {
  using Reply = Done;
  std::uint64_t round = 0;
};
template <class F>
auto fields(Stop& x, F visit) {
  return visit(x.round);
}

}  // namespace troupe
