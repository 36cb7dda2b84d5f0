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
  throw_invalid("there is no such placement");
}

StartNeeds needs_of_driver(const Options& options, int state_vectors) {
  const Rules& rules = rules_of(options.placement);
  StartNeeds needs = rules.needs(options, state_vectors);
  needs.threads += kStoreNeeds.threads + caf_threads(rules.scheduler_threads(options), rules.reach);
  needs.files += kStoreNeeds.files + kBriefFiles;
  if (!options.checkpoint.folder.empty()) {
    needs.threads += kCheckpointNeeds.threads;
    needs.files += kCheckpointNeeds.files;
  }
  return needs;
}

}  // namespace troupe
