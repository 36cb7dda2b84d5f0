#pragma once

#include <set>

#include "actors/placements/host.hpp"
#include "actors/rounds/reception.hpp"
#include "actors/rounds/rounds.hpp"

namespace troupe {

class HeldSignals;

/// Replaces lost workers: starts a new worker for each, and waits until the new workers have joined. A lost node cannot
/// be replaced, because no other node has its part of the optimizer's state.
class Recovery {
 public:
  Recovery(Host& host, Reception& mailbox, Members& members, Rounds& rounds)
      : host_(host), mailbox_(mailbox), members_(members), rounds_(rounds) {}

  /// Starts a replacement for each lost worker, and waits until all replacements have joined.
  /// @param coming lost workers whose replacements `start` has already started
  /// @throws Error worker_lost if a replacement ends before it joins, or if a node is lost; timeout; or the error with
  /// which a worker could not start
  void replace_lost(const Phase& phase, const std::set<int>& coming = {});
  /// Starts a replacement for the lost worker `worker`, without waiting until the replacement has joined.
  void start(int worker);
  /// Returns whether the replacement that `start` has started for `worker` is still starting: it has not joined, and
  /// its process has not ended.
  bool is_coming(int worker) const;

 private:
  void restart(int worker, const Phase& phase);
  void check_node_of(int worker, const Phase& phase) const;
  void wait_for_joins(const Phase& phase, const HeldSignals& held);
  void handle(const Happening& happening, const Phase& phase);
  void accept(const WorkerArrival& arrival, const Phase& phase);
  /// Checks whether the replacement for `worker` can still join.
  /// @throws Error if the replacement has ended or missed the deadline
  void check_missing(int worker, const Phase& phase, const HeldSignals& held);

  Host& host_;
  Reception& mailbox_;
  Members& members_;
  Rounds& rounds_;
};

}  // namespace troupe
