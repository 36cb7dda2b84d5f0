#pragma once

#include <cstdint>
#include <vector>

#include "collectives/plan/plan.hpp"

namespace troupe {

/// One operation that a lane executes on one segment of an owner's slice.
struct LaneOperation {
  enum class Kind : unsigned char {
    contribute,  ///< add the gradients of some shards, and send this partial sum to the owner
    pass_sum,    ///< ring order: add the own shards to the running sum that arrives (or start a running sum), and send
                 ///< it on
    apply,       ///< compute the whole sum for the lane's own slice, apply the mean, and send the new weights
    collect,     ///< wait for new weights, and send them on if `out` is not -1
  };
  Kind kind = Kind::apply;
  int in = -1;   ///< index of the flow to wait for; -1: none. `apply` always has -1, and waits for all flows of sums
                 ///< for the lane's own slice
  int out = -1;  ///< index of the flow to send; -1: none. `apply` always has -1, and sends all flows of weights of the
                 ///< lane's own slice
  std::uint32_t segment = 0;
};

/// Returns all operations that lane `lane` executes in a step, in order of execution. First come contributions and
/// running sums, ordered by the distance between the lane and the owner around the ring. Then follows `apply`, and then
/// `collect`, also ordered by distance. This order is the same for all lanes, and prevents deadlocks: an operation
/// waits only for data from operations that are earlier in the order, on the same or another lane.
std::vector<LaneOperation> lane_program(const Plan& plan, int lane);

}  // namespace troupe
