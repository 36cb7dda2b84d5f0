#pragma once

#include <cstdint>
#include <map>

#include "actors/driver/faults/fault_plan.hpp"
#include "actors/placements/host.hpp"
#include "actors/rounds/members.hpp"
#include "actors/rounds/phase.hpp"
#include "runtime/processes/slowed_process.hpp"

namespace troupe {

/// Injects the faults of a FaultPlan into a run: kills, stops and slows down worker processes, and cuts the connections
/// of nodes.
class FaultInjection {
 public:
  FaultInjection() = default;
  explicit FaultInjection(FaultPlan plan) : plan_(std::move(plan)) {}

  /// Returns whether the plan contains faults that were not injected yet.
  bool any() const { return !plan_.empty(); }
  std::size_t left() const { return plan_.left(); }
  /// Returns whether the checkpoint of this step must fail as if the disk were full; see FaultPlan::full_disk.
  bool full_disk(std::int64_t step) { return plan_.full_disk(step); }
  /// Injects the faults that are due in this phase of the step `phase.step`. If one call of `step` makes several steps
  /// (`steps_a_call`), also injects the faults of the other steps. Skips faults of workers that are lost or take no
  /// part.
  void let_happen(const Phase& phase, std::int64_t steps_a_call, Host& host, const Members& members);

 private:
  void hurt(const FaultPlan::Fault& fault, int pid);

  FaultPlan plan_;
  std::map<int, SlowedProcess> slowed_;  ///< by worker
  std::map<int, std::int64_t> until_;    ///< by worker: the step at which the worker is no longer slowed down
};

}  // namespace troupe
