#pragma once

#include <vector>

#include "actors/algorithms/algorithm_runner.hpp"
#include "actors/messages/synchronous.hpp"

// Times in the reports of steps that workers make together.
namespace troupe {

/// @param seconds the time that each worker computed, in order of `workers`
Slowest slowest_of(const std::vector<int>& workers, const std::vector<double>& seconds);

template <class Reply>
Slowest slowest_of(const std::vector<From<Reply>>& replies, const std::vector<double>& seconds) {
  std::vector<int> workers;
  workers.reserve(replies.size());
  for (const auto& each : replies) workers.push_back(each.member);
  return slowest_of(workers, seconds);
}

/// Adds a worker's times and counts to the report. Call it once for each worker, in order.
void note_pass(const PassReport& pass, StepReport& report);

/// Splits the time of the second round into reducing and applying. Workers reduce and apply each chunk in one go. The
/// shortest reduction time of a worker counts as the time of reducing, so that no worker's time of applying exceeds the
/// phase.
/// @param both seconds of the round. @throws Error protocol for an invalid reply
void split_apply(const StepContext& context, const std::vector<From<Applied>>& applied, double both, const Phase& phase,
                 StepReport& report);

}  // namespace troupe
