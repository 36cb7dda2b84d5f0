#pragma once

#include "mutation/judge.hpp"
#include "mutation/scenarios.hpp"

// Scenarios on nodes of this process.
namespace troupe_test {

/// Runs a scenario in which one message lies. @param patience by which all deadlines are multiplied
Ending run_here(const Scenario& scenario, const Lie& lie, const Truth& truth, int patience);

Truth truth_here(const Scenario& scenario);

}  // namespace troupe_test
