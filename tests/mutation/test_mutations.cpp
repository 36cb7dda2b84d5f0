#include <doctest/doctest.h>

#include <cstdlib>
#include <iostream>

#include "mutation/judge.hpp"
#include "mutation/known_holes.hpp"
#include "mutation/mutations.hpp"
#include "mutation/nodes_here.hpp"

using namespace troupe;
using namespace troupe_test;

namespace {

/// A count from the environment.
int told(const char* name, int otherwise) {
  const char* const text = std::getenv(name);
  return text == nullptr ? otherwise : std::atoi(text);
}

void try_all(const Scenario& scenario) {
  const Truth truth = truth_of(scenario);
  const std::vector<Lie> lies = lies_about(truth);
  const int every = told("TROUPE_MUTATIONS_EVERY", 1);
  const char* const only = std::getenv("TROUPE_MUTATIONS_ONLY");
  const Stopwatch watch;
  int tried = 0, refused = 0;
  for (std::size_t i = 0; i < lies.size(); i += static_cast<std::size_t>(every)) {
    const Lie& lie = lies[i];
    if (only != nullptr && lie.text().find(only) == std::string::npos) continue;
    Outcome outcome = run_with(scenario, lie, truth.of_another, 1);
    std::string problem = problem_of(outcome, lie, truth);
    if (!problem.empty()) {
      outcome = run_with(scenario, lie, truth.of_another, 10);
      problem = problem_of(outcome, lie, truth);
    }
    ++tried;
    refused += outcome.error ? 1 : 0;
    if (only != nullptr) std::cout << lie.text() << "\n  " << outcome.text() << std::endl;
    if (problem.empty() || is_known_hole(scenario.name, lie)) continue;
    FAIL_CHECK(scenario.name, ": ", lie.text(), ": ", problem, "\n  ", outcome.text());
  }
  std::cout << scenario.name << ": " << truth.messages.size() << " messages, " << lies.size() << " lies, " << tried
            << " tried, " << refused << " refused, " << runs_left_hanging() << " left hanging, " << watch.seconds()
            << " s" << std::endl;
}

}  // namespace

TEST_CASE("a message that lies about any field ends in the right result, or in an error that names its sender or nobody") {
  const char* const wanted = std::getenv("TROUPE_MUTATIONS_SCENARIO");
  for (const Scenario& scenario : scenarios())
    if (wanted == nullptr || std::string(wanted) == scenario.name) try_all(scenario);
}
