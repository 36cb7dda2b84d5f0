#pragma once

#include <string>
#include <vector>

#include "support/temporary_folder.hpp"
#include "troupe/troupe.hpp"

namespace troupe_test {

/// A worker's process is to end by SIGKILL: in this phase ("compute", "apply", "evaluate", or "start" of a successor),
/// at so many committed steps, where the model of this worker is. Each death happens once, and then no more. A process
/// does not know the steps before its own: at its start it is step 0.
struct Death {
  std::string phase;
  int worker = 0;
  int step = 0;
};

/// For the model "dying": StatisticsModel's gradients of so many floats, and a test set.
/// @param folder that lives as long as the run, where deaths leave what says that they have been
std::string dying_config(std::size_t size, const std::vector<Death>& deaths, const std::string& folder);
/// And its function "gradients so far": how many a replica has computed.
void register_dying_model();

}  // namespace troupe_test
