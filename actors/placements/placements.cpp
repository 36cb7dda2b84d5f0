#include "actors/placements/placements.hpp"

namespace troupe {

const Rules& rules_of(Placement placement) {
  switch (placement) {
    case Placement::in_process:
      return kInProcessRules;
    case Placement::processes:
      return kProcessesRules;
    case Placement::cluster:
      return kClusterRules;
  }
  throw_invalid("invalid placement");
}

bool on_one_machine(Placement placement) { return rules_of(placement).on_one_machine(); }

StartNeeds needs_of_driver(const Hosting& hosting) {
  const Rules& rules = rules_of(hosting.placement);
  StartNeeds needs = rules.needs(hosting);
  needs.threads += kStoreNeeds.threads + caf_threads(rules.scheduler_threads(hosting), rules.reach);
  needs.files += kStoreNeeds.files + kBriefFiles;
  if (hosting.writes_checkpoints) {
    needs.threads += kCheckpointNeeds.threads;
    needs.files += kCheckpointNeeds.files;
  }
  return needs;
}

}  // namespace troupe
