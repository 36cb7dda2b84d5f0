#pragma once

#include <optional>
#include <string>
#include <vector>

#include "mutation/scenarios.hpp"
#include "mutation/tamper.hpp"

namespace troupe_test {

/// What a run has come to.
struct Outcome {
  std::string bytes;                  ///< of a run that ended well
  std::optional<troupe::Error> error;
  std::string escaped;                ///< what was thrown that is no error of Troupe's
  std::string change;                 ///< of the message
  double seconds = 0;
  std::size_t growth = 0;             ///< of this process's memory meanwhile, at its largest

  std::string text() const;
};

/// What scenarios come to when nobody lies, and what is said then.
struct Truth {
  std::string bytes;
  std::map<Spot, caf::message> messages;
  std::vector<caf::message> of_another;  ///< run
};

/// Runs a scenario in which one message lies; none: all are as they should be.
Outcome run_with(const Scenario& scenario, const std::optional<Lie>& lie, const std::vector<caf::message>& others,
                 int patience, bool another = false);

Truth truth_of(const Scenario& scenario);

/// Returns all lies about some messages of each kind: the first and the last one of each member.
std::vector<Lie> lies_about(const Truth& truth);

/// Returns what is wrong with an outcome; empty: nothing.
std::string problem_of(const Outcome& outcome, const Lie& lie, const Truth& truth);

}  // namespace troupe_test
