#pragma once

#include <set>

#include "actors/placements/host.hpp"
#include "actors/rounds/reception.hpp"
#include "actors/rounds/rounds.hpp"

namespace troupe {

class HeldSignals;

/// Replaces lost workers: starts new workers in their places and waits until they have joined. A lost node is not
/// replaced, because no other node has its part of the optimizer's state.
class Recovery {
 public:
  Recovery(Host& host, Reception& mailbox, Members& members, Rounds& rounds)
      : host_(host), mailbox_(mailbox), members_(members), rounds_(rounds) {}

  /// Starts a worker in the place of each lost worker, and waits until all have joined.
  /// @param coming workers that `start` has already started
  /// @throws Error worker_lost for a worker that ends before it joins, or for a lost node; timeout; or the reason why a
  /// worker cannot start
  void replace_lost(const Phase& phase, const std::set<int>& coming = {});
  /// Starts a worker in the place of a lost worker, without waiting for the new worker.
  void start(int worker);
  /// Returns whether a worker that `start` has started is still starting: no worker has arrived, and its process has
  /// not ended.
  bool is_coming(int worker) const;

 private:
  void restart(int worker, const Phase& phase);
  void check_node_of(int worker, const Phase& phase) const;
  void wait_for_joins(const Phase& phase, const HeldSignals& held);
  void handle(const Happening& happening, const Phase& phase);
  void accept(const WorkerArrival& arrival, const Phase& phase);
  /// @throws Error if this worker will not join any more
  void check_missing(int worker, const Phase& phase, const HeldSignals& held);

  Host& host_;
  Reception& mailbox_;
  Members& members_;
  Rounds& rounds_;
};

}  // namespace troupe
