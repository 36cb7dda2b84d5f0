#pragma once

#include <string>
#include <vector>

#include "troupe/testing.hpp"

namespace troupe::cli {

/// Parses the value of `--fault`: faults to inject into a run for tests, separated by semicolons. Each fault has one of
/// these forms, with any numbers. "phase NAME" may be left out; the default phase is "compute".
/// - "kill worker 2 at step 5 phase apply"
/// - "stop worker 2 at step 5 phase apply"
/// - "slow 10x worker 2 at step 5 phase apply"
/// - "cut node 1 at step 5 phase apply"
/// - "full disk at step 5"
/// - "random 100 kills of steps 10-500 seed 7"
/// - "random slow 5x of steps 10-500 seed 7"
/// @throws Error invalid_argument for another form; the message contains the malformed fault
std::vector<testing::Fault> faults_of(const std::string& text);

}  // namespace troupe::cli
