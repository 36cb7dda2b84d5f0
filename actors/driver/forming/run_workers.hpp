#pragma once

#include <chrono>
#include <map>
#include <vector>

#include "actors/placements/runtime.hpp"
#include "actors/rounds/rounds.hpp"

namespace troupe {

/// How the workers of a run change in number while it goes on, and who starts in place of lost ones while steps are
/// made without them.
class RunWorkers {
 public:
  RunWorkers(Runtime& runtime, Rounds& rounds) : runtime_(runtime), rounds_(rounds) {}

  /// Deals the shards to so many workers. Who is new is lost until the lost are replaced.
  /// @param step that is being made, for errors
  void deal_to(int num_workers, std::int64_t step);
  /// A worker takes part no more. What it computes still is waited for, but not for long.
  void drop(int worker, std::int64_t step);
  /// Drops the one that is blamed, and others that were lost since they came, as far as so many are left.
  void drop_lost(int blamed, int least, std::int64_t step);
  /// Workers that take part, without these.
  std::vector<int> all_but(const std::vector<int>& some) const;

  /// Whether all lost workers are on their way: starts those that are not. False once one of them has come, has ended,
  /// or is not there within `start_time`.
  bool are_coming(std::chrono::milliseconds start_time);
  /// Starts others in the places of lost workers, where none is on his way, and waits until all have joined.
  /// @throws Error as Recovery
  void replace_lost(const Phase& phase);

 private:
  void stop(int worker, std::chrono::milliseconds time, std::int64_t step);

  Runtime& runtime_;
  Rounds& rounds_;
  std::map<int, Deadline> coming_;  ///< by worker, until when
};

}  // namespace troupe
