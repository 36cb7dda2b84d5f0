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

/// Splits the time of the second round between reducing and applying. Workers reduce a chunk and apply it at once, so
/// the two do not follow each other. The shortest time that any worker spent on reducing counts as the time of
/// reducing. Therefore no worker's time of applying exceeds the remaining time, which counts as the time of applying.
/// @param both the time of the round, in seconds
/// @throws Error protocol for an invalid reply
void split_apply(const StepContext& context, const std::vector<From<Applied>>& applied, double both, const Phase& phase,
                 StepReport& report);

}  // namespace troupe
