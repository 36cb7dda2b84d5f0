#pragma once

#include <cstdint>
#include <vector>

#include "collectives/plan/plan.hpp"

namespace troupe {

/// One operation of a lane on one segment of an owner's slice.
struct LaneOperation {
  enum class Kind : unsigned char {
    contribute,  ///< add shards and send the partial sum
    pass_sum,    ///< ring order: add shards to the incoming running sum, or start one, and pass it on
    apply,       ///< finish the sum of the lane's own slice, apply the mean, send the new weights
    collect,     ///< wait for new weights, and pass them on
  };
  Kind kind = Kind::apply;
  int in = -1;   ///< index of the flow to wait for; -1: none. `apply` waits for all sums to the lane
  int out = -1;  ///< index of the flow to send; -1: none. `apply` sends all weights of the lane's own slice
  std::uint32_t segment = 0;
};

/// Returns all operations of a lane in a step, in order. Each operation waits only for operations with a smaller sort
/// key. The key orders contributions first, then sums by their distance around the ring, then `apply`, then weights by
/// distance. Every lane follows this order, so there can be no deadlock.
std::vector<LaneOperation> lane_program(const Plan& plan, int lane);

}  // namespace troupe
