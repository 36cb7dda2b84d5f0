#pragma once

#include <vector>

#include "actors/algorithms/algorithm_runner.hpp"
#include "actors/messages/synchronous.hpp"

// Times in the reports of steps that workers make together.
namespace troupe {

/// Returns the slowest worker, its time, and the median of the other workers' times. With fewer than two workers, the
/// result is empty.
/// @param seconds the time that each worker computed, in order of `workers`
Slowest slowest_of(const std::vector<int>& workers, const std::vector<double>& seconds);

template <class Reply>
Slowest slowest_of(const std::vector<From<Reply>>& replies, const std::vector<double>& seconds) {
  std::vector<int> workers;
  workers.reserve(replies.size());
  for (const auto& each : replies) workers.push_back(each.member);
  return slowest_of(workers, seconds);
}

/// Adds a worker's times and counts to the report. Call it once for each worker, in order of rank.
void note_pass(const PassReport& pass, StepReport& report);

/// Splits the time of the second round between reducing and applying. A worker reduces a chunk and applies it before it
/// reduces the next chunk, so the two times overlap. The shortest time that any worker spent on reducing counts as the
/// time of reducing. The remaining time counts as the time of applying. Therefore no worker's own time of applying
/// exceeds it.
/// @param both the time of the round, in seconds
/// @throws Error protocol for an invalid reply
void split_apply(const StepContext& context, const std::vector<From<Applied>>& applied, double both, const Phase& phase,
                 StepReport& report);

}  // namespace troupe
