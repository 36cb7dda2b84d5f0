#include "actors/driver/faults/fault_injection.hpp"

#include <signal.h>

#include "actors/driver/faults/stop_process.hpp"

namespace troupe {

void FaultInjection::let_happen(const Phase& phase, std::int64_t steps_a_call, Host& host, const Members& members) {
  std::erase_if(slowed_, [&](const auto& each) {
    const auto until = until_.find(each.first);
    return until != until_.end() && until->second <= phase.step;
  });
  for (const FaultPlan::Fault& fault : plan_.due(phase.name, phase.step, phase.step + steps_a_call - 1)) {
    if (fault.kind == FaultPlan::Fault::Kind::cut) {
      host.cut_off(fault.node);
      continue;
    }
    if (!members.takes_part(fault.worker) || members.lost(fault.worker)) continue;
    if (const int pid = host.pid(fault.worker); pid > 0) hurt(fault, pid);
  }
}

void FaultInjection::hurt(const FaultPlan::Fault& fault, int pid) {
  using Kind = FaultPlan::Fault::Kind;
  slowed_.erase(fault.worker);  // a SlowedProcess would let a stopped process continue
  until_.erase(fault.worker);
  if (fault.kind == Kind::kill) ::kill(pid, SIGKILL);
  if (fault.kind == Kind::stop) stop_process(pid);
  if (fault.kind != Kind::slow) return;
  slowed_.try_emplace(fault.worker, pid, fault.factor);
  if (fault.until > 0) until_[fault.worker] = fault.until;
}

}  // namespace troupe
