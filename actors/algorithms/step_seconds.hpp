#pragma once

#include <vector>

#include "actors/algorithms/algorithm_runner.hpp"
#include "actors/messages/synchronous.hpp"

// What the reports of steps that workers make together say of their time.
namespace troupe {

/// @param seconds in which each worker computed, in order of `workers`
Slowest slowest_of(const std::vector<int>& workers, const std::vector<double>& seconds);

template <class Reply>
Slowest slowest_of(const std::vector<From<Reply>>& replies, const std::vector<double>& seconds) {
  std::vector<int> workers;
  workers.reserve(replies.size());
  for (const auto& each : replies) workers.push_back(each.member);
  return slowest_of(workers, seconds);
}

/// Appends a worker's seconds, and adds what it counted: once for each worker, in their order.
void note_pass(const PassReport& pass, StepReport& report);

/// Workers reduce and apply chunk by chunk in one go. The reduction's seconds are those of the worker that added in the
/// shortest time, so that no worker's seconds of applying exceed those of the phase.
/// @param both seconds of the round. @throws Error protocol for replies that cannot be
void split_apply(const StepContext& context, const std::vector<From<Applied>>& applied, double both, const Phase& phase,
                 StepReport& report);

}  // namespace troupe
