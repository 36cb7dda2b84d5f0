#pragma once

#include <string>
#include <vector>

#include "troupe/testing.hpp"

namespace troupe::cli {

/// Parses `--fault`: parts separated by semicolons. A part is one of
/// - "kill worker 2 at step 5 phase apply", or "stop", or "slow 10x" (the default phase is "compute")
/// - "cut node 1 at step 5"
/// - "full disk at step 5"
/// - "random 100 kills of steps 10-500 seed 7", or "random slow 5x of steps 10-500 seed 7"
/// @throws Error invalid_argument that shows the malformed part
std::vector<testing::Fault> faults_of(const std::string& text);

}  // namespace troupe::cli
