#pragma once

#include <string>
#include <vector>

#include "support/temporary_folder.hpp"
#include "troupe/troupe.hpp"

namespace troupe_test {

/// Ends a worker's process with SIGKILL: in this phase ("compute", "apply", "evaluate", or "start" of a replacement),
/// after this number of committed steps, in the process of this worker. Each death happens only once. A process does
/// not know the steps before its own start, so at its start the step is 0.
struct Death {
  std::string phase;
  int worker = 0;
  int step = 0;
};

/// Returns the configuration of the model "dying": StatisticsModel's gradients of `size` floats, and a test set.
/// @param folder must exist as long as the run. Each death leaves a mark there, so that it does not happen again.
std::string dying_config(std::size_t size, const std::vector<Death>& deaths, const std::string& folder);
/// Registers the model "dying" and its function "gradients so far": the number of gradients that a replica has
/// computed.
void register_dying_model();

}  // namespace troupe_test
