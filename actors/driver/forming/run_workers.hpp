#pragma once

#include <chrono>
#include <map>
#include <vector>

#include "actors/placements/runtime.hpp"
#include "actors/rounds/rounds.hpp"

namespace troupe {

/// Changes the number of workers during a run, and starts replacements of lost workers while steps are made without
/// them.
class RunWorkers {
 public:
  RunWorkers(Runtime& runtime, Rounds& rounds) : runtime_(runtime), rounds_(rounds) {}

  /// Assigns the shards to `num_workers` workers: adds or removes workers. New workers count as lost until
  /// `replace_lost`.
  /// @param step the current step, for errors
  void deal_to(int num_workers, std::int64_t step);
  /// Removes a worker from the run. If it still computes, waits a short time for it.
  void drop(int worker, std::int64_t step);
  /// Removes `blamed` and other workers that were lost after they had joined, but keeps `least` workers.
  void drop_lost(int blamed, int least, std::int64_t step);
  /// Returns the workers that take part, except those in `some`.
  std::vector<int> all_but(const std::vector<int>& some) const;

  /// Starts replacements of lost workers unless they are already starting. Returns whether all replacements are still
  /// starting. Returns false once a replacement has arrived, has ended, or has not arrived within `start_time`.
  bool are_coming(std::chrono::milliseconds start_time);
  /// Starts replacements of lost workers unless they are already starting, and waits until all have joined.
  /// @throws Error as `Recovery::replace_lost`
  void replace_lost(const Phase& phase);

 private:
  void stop(int worker, std::chrono::milliseconds time, std::int64_t step);

  Runtime& runtime_;
  Rounds& rounds_;
  std::map<int, Deadline> coming_;  ///< by worker, the deadline for its arrival
};

}  // namespace troupe
