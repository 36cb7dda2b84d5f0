#pragma once

#include <cstdint>

#include "actors/worker/worker_state.hpp"

namespace troupe {

/// Returns the description of the work of a replica's lane in the exchange between nodes. The gradients in it are those
/// that the worker has mapped.
/// @param computed the number of the round in which the gradients were computed
/// @param driver the time until which the driver waits
inline NodeExchange::Work exchange_work(const WorkerState& worker, const Replica& replica, std::uint64_t computed,
                                        const Deadline& driver) {
  NodeExchange::Work work;
  work.lane = worker.lane_of(replica);
  work.gradients = &worker.slabs->sources();
  work.ticket = computed;
  work.deadline = driver.earlier();
  return work;
}

}  // namespace troupe
