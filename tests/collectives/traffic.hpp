#pragma once

#include <cstddef>

#include "collectives/plan/plan.hpp"

/// The bytes that a node sends to and receives from other nodes in one step.
struct Traffic {
  std::size_t sent = 0;
  std::size_t received = 0;
};

/// Returns the traffic of `node` according to the flows of the plan.
Traffic traffic_of(const troupe::Plan& plan, int node);
