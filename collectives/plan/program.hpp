#pragma once

#include <cstdint>
#include <vector>

#include "collectives/plan/plan.hpp"

namespace troupe {

/// One thing that a lane does with one segment of an owner's slice.
struct LaneOperation {
  enum class Kind : unsigned char {
    contribute,  ///< add shards and send the partial sum
    pass_sum,    ///< ring order: add shards to the running sum that comes in, or start one, and pass it on
    apply,       ///< finish the sum of the lane's own slice, apply the mean, send the new weights
    collect,     ///< wait for new weights, and pass them on
  };
  Kind kind = Kind::apply;
  int in = -1;   ///< index of the flow to wait for; -1: none. `apply` waits for all sums that come to the lane
  int out = -1;  ///< index of the flow to send; -1: none. `apply` sends all weights of the lane's own slice
  std::uint32_t segment = 0;
};

/// All that a lane does in a step, in order. Whatever an operation waits for is sent by one of a smaller rank: first
/// contributions, then sums by how far round the ring they are, then `apply`, then weights by how far round they are;
/// each lane goes by rank, so lanes that wait for each other never wait in a circle.
std::vector<LaneOperation> lane_program(const Plan& plan, int lane);

}  // namespace troupe
