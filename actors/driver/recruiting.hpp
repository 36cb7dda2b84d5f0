#pragma once

#include "actors/placements/host.hpp"
#include "actors/rounds/driver_mailbox.hpp"
#include "actors/rounds/rounds.hpp"

namespace troupe {

class HeldSignals;

/// Starts workers in place of those that are lost, and waits until they have joined.
class Recruiting {
 public:
  Recruiting(Host& host, DriverMailbox& mailbox, Members& members, Rounds& rounds)
      : host_(host), mailbox_(mailbox), members_(members), rounds_(rounds) {}

  /// @throws Error worker_lost, timeout, or why a worker cannot start; also where a node is lost, which nobody
  /// replaces.
  void replace_lost(const Phase& phase);

 private:
  void restart(int worker);
  void wait_for_joins(const Phase& phase, const HeldSignals& held);
  void handle(const Happening& happening, const Phase& phase);
  void accept(const WorkerArrival& arrival, const Phase& phase);
  /// @throws Error where a worker will not join any more.
  void check_missing(int worker, const Phase& phase, const HeldSignals& held);

  Host& host_;
  DriverMailbox& mailbox_;
  Members& members_;
  Rounds& rounds_;
};

}  // namespace troupe
