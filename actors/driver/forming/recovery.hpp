#pragma once

#include <set>

#include "actors/placements/host.hpp"
#include "actors/rounds/reception.hpp"
#include "actors/rounds/rounds.hpp"

namespace troupe {

class HeldSignals;

/// What happens after a worker or a node was lost, before anything else: workers are started anew in the places of
/// those that are lost, and waited for until they have joined. A lost node is not replaced, because nobody else has its
/// part of the optimizer's state.
class Recovery {
 public:
  Recovery(Host& host, Reception& mailbox, Members& members, Rounds& rounds)
      : host_(host), mailbox_(mailbox), members_(members), rounds_(rounds) {}

  /// @param coming those that `start` has started
  /// @throws Error worker_lost for a worker that ends before it joins, or a lost node; timeout; or why a worker cannot
  /// start.
  void replace_lost(const Phase& phase, const std::set<int>& coming = {});
  /// Starts a worker in the place of one that is lost, and does not wait for it.
  void start(int worker);
  /// Whether such a worker is still to be waited for: none has arrived, and it has not ended.
  bool is_coming(int worker) const;

 private:
  void restart(int worker, const Phase& phase);
  void check_node_of(int worker, const Phase& phase) const;
  void wait_for_joins(const Phase& phase, const HeldSignals& held);
  void handle(const Happening& happening, const Phase& phase);
  void accept(const WorkerArrival& arrival, const Phase& phase);
  /// @throws Error where a worker will not join any more.
  void check_missing(int worker, const Phase& phase, const HeldSignals& held);

  Host& host_;
  Reception& mailbox_;
  Members& members_;
  Rounds& rounds_;
};

}  // namespace troupe
