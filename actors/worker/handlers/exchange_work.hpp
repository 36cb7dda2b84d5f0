#pragma once

#include <cstdint>

#include "actors/worker/worker_state.hpp"

namespace troupe {

/// What a replica's lane has the exchange do with the gradients that the worker has mapped.
/// @param computed the round in which they were computed. @param driver until when the driver waits
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
