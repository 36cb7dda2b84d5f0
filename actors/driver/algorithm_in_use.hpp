#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "actors/algorithms/known_algorithms.hpp"

namespace troupe {

/// Holds the algorithm that makes a run's steps. If the options have a warm start (`warm_start`), the first steps are
/// synchronous. During these steps, this class also holds the awaited algorithm: the algorithm of the options, which
/// makes the steps after the warm start.
class AlgorithmInUse {
 public:
  /// @param options the run's options, which may later name another algorithm; must be checked before `begin`
  AlgorithmInUse(const Options& options, const UpdateRules& optimizer);

  /// Creates the algorithm of the options.
  /// @throws Error bad_file if a record cannot be written or a replay cannot be read
  void begin();
  AlgorithmRunner& operator*() const { return *now_; }
  AlgorithmRunner* operator->() const { return now_.get(); }
  /// Returns the name of the current algorithm, for reports.
  const char* name() const;
  /// Returns the awaited algorithm, or null.
  const AlgorithmRunner* awaited() const { return awaited_.get(); }

  /// Makes `next` the current algorithm and drops the awaited algorithm. Returns the previous algorithm.
  std::unique_ptr<AlgorithmRunner> exchange(std::unique_ptr<AlgorithmRunner> next);
  /// Sets the algorithm that follows the warm start.
  void await(std::unique_ptr<AlgorithmRunner> next) { awaited_ = std::move(next); }
  std::unique_ptr<AlgorithmRunner> take_awaited() { return std::move(awaited_); }
  /// If the options have a warm start, starts it again, because the run is back at its first steps. Does nothing for an
  /// algorithm with parameter servers.
  void begin_warm_start();
  /// Returns whether the awaited algorithm makes the step that follows the first `step` steps.
  bool warm_start_is_over(std::int64_t step) const;
  /// Returns whether a checkpoint belongs to the warm start that this run has completed.
  /// @param step the number of steps before the checkpoint
  /// @param saved the names of the checkpoint's vectors in addition to the weights
  bool is_of_warm_start(std::int64_t step, const std::vector<std::string>& saved, std::int64_t steps_per_epoch) const;

  /// Returns the properties that the current algorithm requires of replicas.
  BuiltFor built_for() const;
  /// Returns whether each step uses all samples.
  bool passes() const;
  /// Returns the number of parameter servers in the options; 0: as many as possible.
  int servers() const { return traits().servers; }
  /// @throws Error unsupported if the current or the awaited algorithm cannot train the model
  /// @param built the properties of the replicas
  void check(const ModelDescription& model, const BuiltFor& built) const;

  /// @param steps_per_epoch see AlgorithmRunner::state
  StateDescription state(std::int64_t steps_per_epoch) const { return state_of(*now_, steps_per_epoch); }
  StateDescription state_of(const AlgorithmRunner& algorithm, std::int64_t steps_per_epoch) const {
    return algorithm.state(optimizer_, options_.num_shards, steps_per_epoch);
  }
  /// Returns the description of the state during the synchronous steps of a warm start.
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
