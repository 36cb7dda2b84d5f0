#pragma once

#include <doctest/doctest.h>
#include <signal.h>

#include <functional>
#include <string>

#include "actors/state/state_trial.hpp"
#include "cluster/nodes.hpp"
#include "support/optimizers.hpp"
#include "support/patience.hpp"

namespace troupe_test {

/// Returns options for all nodes with one worker each and an optimizer with state.
inline troupe::Options trial(const Nodes& nodes, const std::string& optimizer = "adam") {
  troupe::Options options = nodes.options();
  make_trial(options, kStatistics, optimizer);
  edit(options)->schedule.total_steps = 100;
  return options;
}

/// Returns options for the same run in this process, without faults.
inline troupe::Options undisturbed(const std::string& optimizer = "adam") {
  troupe::Options options;
  make_trial(options, kStatistics, optimizer);
  edit(options)->schedule.total_steps = 100;
  return options;
}

/// A run, and a run without faults. Both must have bitwise identical results.
class Pair {
 public:
  explicit Pair(const troupe::Options& options)
      : sgd(kStatistics.name, options), twin_(kStatistics.name, undisturbed(troupe::settings_of(options).kind)) {}

  /// Makes a step of both runs.
  troupe::StepReport step() {
    troupe::StepReport report = sgd.step();
    check_as_twin(report);
    return report;
  }
  /// Sets the learning rate of both runs.
  void set_learning_rate(double rate) {
    sgd.set_learning_rate(rate);
    twin_.set_learning_rate(rate);
  }
  void check_as_twin(const troupe::StepReport& report) {
    const troupe::StepReport expected = twin_.step();
    CHECK(report.step == expected.step);
    CHECK(report.loss == expected.loss);
  }
  void check_weights() { CHECK(bits_of(sgd.weights()) == bits_of(twin_.weights())); }
  /// Kills the process of a worker's node. Its supervisor starts another process.
  void kill(int worker) const { ::kill(sgd.worker_pids().at(static_cast<std::size_t>(worker)), SIGKILL); }

  troupe::DistributedSGD sgd;

 private:
  troupe::DistributedSGD twin_;
};

/// Returns options with a copy of the state after each `every` steps.
inline troupe::Options with_copies(const Nodes& nodes, std::int64_t every = 1) {
  troupe::Options options = trial(nodes);
  options.fault_tolerance.copy_every = every;
  options.timeouts.start = kPatience;
  return options;
}

/// Returns options for `least` nodes to all nodes, with two workers on each of them.
inline troupe::Options with_ranges(const Nodes& nodes, int least = 2) {
  troupe::Options options = with_copies(nodes);
  options.cluster.min_nodes = least;
  options.num_workers = {2, 2 * nodes.size()};
  options.num_shards = kTrialShards;
  return options;
}

/// Makes steps until a report fulfils a condition, and returns the report.
inline troupe::StepReport steps_to(Pair& run, const std::function<bool(const troupe::StepReport&)>& condition) {
  troupe::StepReport report;
  CHECK(comes_true(
      [&] {
        report = run.step();
        return condition(report);
      },
      kPatience));
  return report;
}
inline troupe::StepReport steps_to_joined(Pair& run) {
  return steps_to(run, [](const troupe::StepReport& report) { return !report.nodes.joined.empty(); });
}
inline troupe::StepReport steps_to_left(Pair& run) {
  return steps_to(run, [](const troupe::StepReport& report) { return !report.nodes.left.empty(); });
}

/// Makes steps until all nodes have acknowledged a copy, and returns the number of the copy's step.
inline std::int64_t step_to_copy(Pair& run) {
  for (int i = 0; i < 100; ++i)
    if (const std::int64_t step = run.step().copies.step; step > 0) return step;
  FAIL("no copy was made");
  return -1;
}

}  // namespace troupe_test
