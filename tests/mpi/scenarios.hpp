#pragma once

#include <string>

namespace troupe {

/// Runs a scenario for ends.sh, which checks the output of all ranks. Rank 1 does what `name` states ("returns",
/// "throws", "killed" or "stopped") while the other ranks add. Returns the exit status of the process.
int run_scenario(const std::string& name);

}  // namespace troupe
