#pragma once

#include <cstdint>
#include <map>

#include "actors/driver/faults/fault_plan.hpp"
#include "actors/placements/host.hpp"
#include "actors/rounds/members.hpp"
#include "actors/rounds/phase.hpp"
#include "runtime/processes/slowed_process.hpp"

namespace troupe {

/// Injects the faults of a plan into a run: ends, stops and slows worker processes, and cuts nodes off.
class FaultInjection {
 public:
  FaultInjection() = default;
  explicit FaultInjection(FaultPlan plan) : plan_(std::move(plan)) {}

  /// Returns whether faults are left in the plan.
  bool any() const { return !plan_.empty(); }
  std::size_t left() const { return plan_.left(); }
  /// See FaultPlan::full_disk.
  bool full_disk(std::int64_t step) { return plan_.full_disk(step); }
  /// Injects the faults that are due in this phase of the step. If one call makes several steps, also injects the
  /// faults of the other steps. Skips workers that are lost or take no part.
  void let_happen(const Phase& phase, std::int64_t steps_a_call, Host& host, const Members& members);

 private:
  void hurt(const FaultPlan::Fault& fault, int pid);

  FaultPlan plan_;
  std::map<int, SlowedProcess> slowed_;  ///< by worker
  std::map<int, std::int64_t> until_;    ///< by worker, the step at which the slowness ends
};

}  // namespace troupe
