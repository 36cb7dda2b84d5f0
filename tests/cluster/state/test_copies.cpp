#include <doctest/doctest.h>

#include <string>

#include "cluster/nodes.hpp"
#include "cluster/state/pair.hpp"
#include "support/errors.hpp"
#include "support/patience.hpp"

using namespace troupe;
using namespace troupe_test;
using namespace std::chrono_literals;

namespace {

Options with_copies(const Nodes& nodes, std::int64_t every = 1) {
  Options options = trial(nodes);
  options.fault_tolerance.copy_every = every;
  options.timeouts.start = kPatience;
  return options;
}

/// Makes steps until all nodes have acknowledged a copy, and returns the number of the copy's step.
std::int64_t step_to_copy(Pair& run) {
  for (int i = 0; i < 100; ++i)
    if (const std::int64_t step = run.step().copies.step; step > 0) return step;
  FAIL("no copy was made");
  return -1;
}

}  // namespace

TEST_CASE("a run without checkpoints continues after the death of each node's process, bitwise identical") {
  Nodes nodes(3);
  Pair run(with_copies(nodes));
  for (int victim = 0; victim < 3; ++victim) {
    CAPTURE(victim);
    const std::int64_t copied = step_to_copy(run);
    const std::int64_t done = run.sgd.steps_done();
    run.kill(victim);
    const StepReport report = run.step();
    REQUIRE(report.repairs.size() == 1);
    CHECK(report.repairs[0].node == "node" + std::to_string(victim));
    CHECK(report.repairs[0].replayed == done - copied);
    run.check_weights();
  }
}

TEST_CASE("a machine that is lost with its memory is replaced by an empty one, bitwise identical") {
  Nodes nodes(3);
  Pair run(with_copies(nodes));
  for (int victim = 0; victim < 3; ++victim) {
    CAPTURE(victim);
    step_to_copy(run);
    nodes.start(victim);  // kills the node and its supervisor, and starts another one
    const StepReport report = run.step();
    REQUIRE(report.repairs.size() == 1);
    run.check_weights();
  }
}
