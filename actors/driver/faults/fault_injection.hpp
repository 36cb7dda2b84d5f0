#pragma once

#include <cstdint>
#include <map>

#include "actors/driver/faults/fault_plan.hpp"
#include "actors/placements/host.hpp"
#include "actors/rounds/members.hpp"
#include "actors/rounds/phase.hpp"
#include "runtime/processes/slowed_process.hpp"

namespace troupe {

/// Lets happen what a plan has for a run: ends, stops and slows its worker processes, and cuts nodes off.
class FaultInjection {
 public:
  FaultInjection() = default;
  explicit FaultInjection(FaultPlan plan) : plan_(std::move(plan)) {}

  /// Whether something is still to happen.
  bool any() const { return !plan_.empty(); }
  std::size_t left() const { return plan_.left(); }
  /// As FaultPlan::full_disk.
  bool full_disk(std::int64_t step) { return plan_.full_disk(step); }
  /// What is due in this phase of the step, or of those that the call makes. Workers that are lost, or take no part,
  /// are spared.
  void let_happen(const Phase& phase, std::int64_t steps_a_call, Host& host, const Members& members);

 private:
  void hurt(const FaultPlan::Fault& fault, int pid);

  FaultPlan plan_;
  std::map<int, SlowedProcess> slowed_;  ///< by worker
  std::map<int, std::int64_t> until_;    ///< by worker, the step at which it is so no more
};

}  // namespace troupe
