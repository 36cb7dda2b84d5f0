#pragma once

#include <vector>

#include "actors/algorithms/algorithm_runner.hpp"
#include "actors/messages/synchronous.hpp"

// Functions that compute the times in the reports of steps that workers make together.
namespace troupe {

/// Returns the slowest of `workers`, its time in seconds, and the median time of the other workers. If there are fewer
/// than two workers, the result is empty.
/// @param seconds the time in seconds that each worker computed, in the order of `workers`
Slowest slowest_of(const std::vector<int>& workers, const std::vector<double>& seconds);

template <class Reply>
Slowest slowest_of(const std::vector<From<Reply>>& replies, const std::vector<double>& seconds) {
  std::vector<int> workers;
  workers.reserve(replies.size());
  for (const auto& each : replies) workers.push_back(each.member);
  return slowest_of(workers, seconds);
}

/// Adds the times and counts of one worker to `report`. Must be called once for each worker, in order of rank.
void note_pass(const PassReport& pass, StepReport& report);

/// Splits the time of the round "apply" into a time for reducing (`seconds.reduce`) and a time for applying
/// (`seconds.apply_all`). The split is a convention, because a worker reduces one chunk, applies it, and then reduces
/// the next chunk. The time for reducing is the shortest time that any worker spent on reducing. The time for applying
/// is the remainder, which is at least the time that any worker spent on applying.
/// @param both the time of the round in seconds
/// @throws Error protocol for an invalid reply
void split_apply(const StepContext& context, const std::vector<From<Applied>>& applied, double both, const Phase& phase,
                 StepReport& report);

}  // namespace troupe
