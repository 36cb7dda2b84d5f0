#pragma once

#include <chrono>
#include <map>
#include <vector>

#include "actors/placements/runtime.hpp"
#include "actors/rounds/rounds.hpp"

namespace troupe {

/// Changes the number of workers during a run, and starts replacements for lost workers while the other workers make
/// steps.
class RunWorkers {
 public:
  RunWorkers(Runtime& runtime, Rounds& rounds) : runtime_(runtime), rounds_(rounds) {}

  /// Adds or removes workers until the run has `num_workers` workers, so that the shards are assigned to this number of
  /// workers. New workers count as lost until `replace_lost` has started them.
  /// @param step the number of the current step, for errors
  void deal_to(int num_workers, std::int64_t step);
  /// Removes `worker` from the run. If the worker runs in this process and still computes, waits until it has stopped,
  /// but at most for `Host::time_at_end`.
  void drop(int worker, std::int64_t step);
  /// Removes the worker `blamed` from the run, and other workers that were lost after they had joined, but keeps at
  /// least `least` workers.
  void drop_lost(int blamed, int least, std::int64_t step);
  /// Returns the workers that take part in the run, except those in `some`.
  std::vector<int> all_but(const std::vector<int>& some) const;

  /// Starts a replacement for each lost worker, unless one is already starting. Returns whether all replacements are
  /// still starting. Returns false as soon as a replacement wants to join, has ended, or has not joined within
  /// `start_time`.
  bool are_coming(std::chrono::milliseconds start_time);
  /// Starts a replacement for each lost worker, unless one is already starting, and waits until all replacements have
  /// joined.
  /// @throws Error as `Recovery::replace_lost` does
  void replace_lost(const Phase& phase);

 private:
  void stop(int worker, std::chrono::milliseconds time, std::int64_t step);

  Runtime& runtime_;
  Rounds& rounds_;
  std::map<int, Deadline> coming_;  ///< by worker: the time until which its replacement must have joined
};

}  // namespace troupe
