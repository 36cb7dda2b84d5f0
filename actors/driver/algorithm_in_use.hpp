#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "actors/algorithms/known_algorithms.hpp"

namespace troupe {

/// Holds the algorithm that makes the steps of a run. If the option `warm_start` is set, the run's first steps are
/// synchronous. During these steps, this class also holds the awaited algorithm: the one in the options, which makes
/// the steps after the warm start.
class AlgorithmInUse {
 public:
  /// @param options the run's options. They must be checked before `begin` is called. The driver may later change their
  /// algorithm.
  AlgorithmInUse(const Options& options, const UpdateRules& optimizer);

  /// Creates the algorithm in the options, and starts the warm start if there is one.
  /// @throws Error bad_file if the algorithm's `record` file cannot be written, or its `replay` file cannot be read
  void begin();
  AlgorithmRunner& operator*() const { return *now_; }
  AlgorithmRunner* operator->() const { return now_.get(); }
  /// Returns the name of the current algorithm, for reports.
  const char* name() const;
  /// Returns the awaited algorithm; null if no warm start is in progress.
  const AlgorithmRunner* awaited() const { return awaited_.get(); }

  /// Makes `next` the current algorithm and drops the awaited algorithm. Returns the previous algorithm.
  std::unique_ptr<AlgorithmRunner> exchange(std::unique_ptr<AlgorithmRunner> next);
  /// Makes `next` the awaited algorithm, which follows the warm start.
  void await(std::unique_ptr<AlgorithmRunner> next) { awaited_ = std::move(next); }
  std::unique_ptr<AlgorithmRunner> take_awaited() { return std::move(awaited_); }
  /// Begins the warm start of the options again, because the run is back at its first steps. Does nothing if the
  /// options have no warm start, or if the algorithm has parameter servers.
  void begin_warm_start();
  /// Returns whether the warm start is over: whether the awaited algorithm must make the next step, after `step` steps.
  bool warm_start_is_over(std::int64_t step) const;
  /// Returns whether a checkpoint was written during the warm start, although this run has completed its warm start.
  /// @param step the number of steps before the checkpoint
  /// @param saved the names of the checkpoint's vectors in addition to the weights
  bool is_of_warm_start(std::int64_t step, const std::vector<std::string>& saved, std::int64_t steps_per_epoch) const;

  /// Returns the properties that the current algorithm requires of replicas.
  BuiltFor built_for() const;
  /// Returns whether each step of the current algorithm uses all samples.
  bool passes() const;
  /// Returns the number of parameter servers that the options request; 0: as many as possible.
  int servers() const { return traits().servers; }
  /// Checks that the current and the awaited algorithm can train the model.
  /// @param built the properties with which the replicas were built
  /// @throws Error unsupported if one of the algorithms cannot train the model
  void check(const ModelDescription& model, const BuiltFor& built) const;

  /// Returns the description of the state that the current algorithm needs.
  /// @param steps_per_epoch see AlgorithmRunner::state
  StateDescription state(std::int64_t steps_per_epoch) const { return state_of(*now_, steps_per_epoch); }
  StateDescription state_of(const AlgorithmRunner& algorithm, std::int64_t steps_per_epoch) const {
    return algorithm.state(optimizer_, options_.num_shards, steps_per_epoch);
  }
  /// Returns the description of the state that the synchronous steps of a warm start need.
  StateDescription state_of_warm_start(std::int64_t steps_per_epoch) const {
    return state_of(*make_runner({}), steps_per_epoch);
  }

 private:
  AlgorithmTraits traits() const { return traits_of(options_.algorithm); }

  const Options& options_;
  const UpdateRules& optimizer_;
  std::unique_ptr<AlgorithmRunner> now_;
  std::unique_ptr<AlgorithmRunner> awaited_;
};

}  // namespace troupe
