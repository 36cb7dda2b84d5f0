#pragma once

#include <string>

namespace troupe {

/// What ends an MPI program, for run.sh, which looks at what all ranks say: rank 1 does what the name says while the
/// others add. Returns the process's exit status.
int run_scenario(const std::string& name);

}  // namespace troupe
