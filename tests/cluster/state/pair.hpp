#pragma once

#include <doctest/doctest.h>
#include <signal.h>

#include <string>

#include "actors/state/state_trial.hpp"
#include "cluster/nodes.hpp"
#include "support/optimizers.hpp"

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

}  // namespace troupe_test
