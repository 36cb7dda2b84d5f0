#include <doctest/doctest.h>

#include <cstdlib>
#include <iostream>
#include <map>

#include "mutation/judge.hpp"
#include "mutation/known_holes.hpp"
#include "mutation/nodes_here.hpp"
#include "mutation/watchdog.hpp"

using namespace troupe;
using namespace troupe_test;

namespace {

/// A number from the environment.
int told(const char* name, int otherwise) {
  const char* const text = std::getenv(name);
  return text == nullptr ? otherwise : std::atoi(text);
}

std::string told_text(const char* name) {
  const char* const text = std::getenv(name);
  return text == nullptr ? "" : text;
}

/// Lies that end badly, with the first of each field.
struct Findings {
  struct Finding {
    int count = 0;
    std::string first;
  };
  std::map<std::string, Finding> by_field;

  void add(const Lie& lie, const std::string& problem, const Outcome& outcome) {
    const char* const way = lie.spot.direction == Direction::to_driver ? "from member, " : "to member, ";
    Finding& finding = by_field[way + lie.field() + ": " + problem];
    if (finding.count++ == 0) finding.first = lie.text() + "\n  " + outcome.text();
  }
};

/// What lies of a scenario came to.
struct Count {
  int tried = 0, errors = 0, known = 0;
};

/// A run that ends badly has a second chance, with longer deadlines: the machine may have been busy.
void try_lie(const Scenario& scenario, const Lie& lie, const Truth& truth, Findings& findings, Count& count) {
  const Watchdog watchdog(std::string(scenario.name) + ", " + lie.text());
  Outcome outcome = run_with(scenario, lie, truth.of_another, 1);
  std::string problem = problem_of(outcome, lie, truth);
  if (!problem.empty()) {
    outcome = run_with(scenario, lie, truth.of_another, 10);
    problem = problem_of(outcome, lie, truth);
  }
  ++count.tried;
  count.errors += outcome.error ? 1 : 0;
  if (!told_text("TROUPE_MUTATIONS_ONLY").empty()) std::cout << lie.text() << "\n  " << outcome.text() << std::endl;
  if (problem.empty()) return;
  if (is_known_hole(lie)) return void(++count.known);
  findings.add(lie, problem, outcome);
}

void try_all(const Scenario& scenario) {
  const Stopwatch watch;
  const Truth truth = truth_of(scenario);
  const std::vector<Lie> lies = lies_about(truth);
  const auto every = static_cast<std::size_t>(told("TROUPE_MUTATIONS_EVERY", 1));
  const std::string only = told_text("TROUPE_MUTATIONS_ONLY");
  Findings findings;
  Count count;
  for (std::size_t i = 0; i < lies.size(); i += every)
    if (lies[i].text().find(only) != std::string::npos) try_lie(scenario, lies[i], truth, findings, count);
  for (const auto& [field, finding] : findings.by_field)
    FAIL_CHECK(std::string(scenario.name), ", ", finding.count, " times, ", field, "\n", finding.first);
  std::cout << scenario.name << ": " << truth.messages.size() << " messages, " << lies.size() << " lies, "
            << count.tried << " tried, " << count.errors << " errors, " << count.known << " known, "
            << runs_left_hanging() << " left hanging, " << watch.seconds() << " s" << std::endl;
}

}  // namespace

TEST_CASE("a message that lies about any field ends in the right result, or in an error that names its sender or nobody") {
  const std::string wanted = told_text("TROUPE_MUTATIONS_SCENARIO");
  for (const Scenario& scenario : scenarios())
    if (wanted.empty() || wanted == scenario.name) try_all(scenario);
}
