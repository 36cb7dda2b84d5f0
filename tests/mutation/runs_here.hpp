#pragma once

#include "mutation/judge.hpp"
#include "mutation/scenarios.hpp"

// Scenarios on nodes in this process.
namespace troupe_test {

/// Runs a scenario with one changed message. @param patience factor of all deadlines
Ending run_here(const Scenario& scenario, const Lie& lie, const Truth& truth, int patience);

Truth truth_here(const Scenario& scenario);

}  // namespace troupe_test
