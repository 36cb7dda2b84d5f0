#pragma once

#include <cstddef>

#include "collectives/plan/plan.hpp"

/// Bytes between a node and the others in one step.
struct Traffic {
  std::size_t sent = 0;
  std::size_t received = 0;
};

/// What the plan's flows come to for `node`.
Traffic traffic_of(const troupe::Plan& plan, int node);
