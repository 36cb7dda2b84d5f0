#pragma once

#include <cstdint>
#include <vector>

#include "collectives/plan/plan.hpp"

namespace troupe {

/// One operation that a lane executes on one segment of an owner's slice.
struct LaneOperation {
  enum class Kind : unsigned char {
    contribute,  ///< add the gradients of some shards and send the partial sum
    pass_sum,    ///< ring order: add own shards to the incoming running sum, or start a running sum, and send it on
    apply,       ///< finish the sum for the lane's own slice, apply the mean, and send the new weights
    collect,     ///< wait for new weights; send them on if `out` names a flow
  };
  Kind kind = Kind::apply;
  int in = -1;   ///< index of the flow to wait for; -1: none. `apply` has -1, and waits for all sums that are sent to
                 ///< the lane
  int out = -1;  ///< index of the flow to send; -1: none. `apply` has -1, and sends all flows of weights of the lane's
                 ///< own slice
  std::uint32_t segment = 0;
};

/// Returns all operations that a lane executes in a step, in order of execution. Each operation has a sort key: first
/// contributions and running sums, by distance from the owner around the ring; then `apply`; then `collect`, by
/// distance. An operation waits only for data from operations with a smaller key, on this or another lane. Every lane
/// executes its operations in order of the key, so there can be no deadlock.
std::vector<LaneOperation> lane_program(const Plan& plan, int lane);

}  // namespace troupe
