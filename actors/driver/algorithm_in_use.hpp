#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "actors/algorithms/known_algorithms.hpp"

namespace troupe {

/// The algorithm that makes a run's steps now. During a warm start (`warm_start`), steps are synchronous; then this
/// also holds the awaited algorithm, which is the one of the options.
class AlgorithmInUse {
 public:
  /// @param options the run's options, which may later name another algorithm; must be checked before `begin`
  AlgorithmInUse(const Options& options, const UpdateRules& optimizer);

  /// Creates the algorithm of the options. @throws Error bad_file if a record cannot be written or a replay cannot be
  /// read
  void begin();
  AlgorithmRunner& operator*() const { return *now_; }
  AlgorithmRunner* operator->() const { return now_.get(); }
  /// The algorithm's name in reports.
  const char* name() const;
  /// The awaited algorithm, or null.
  const AlgorithmRunner* awaited() const { return awaited_.get(); }

  /// Makes `next` the current algorithm and drops the awaited one. Returns the algorithm before.
  std::unique_ptr<AlgorithmRunner> exchange(std::unique_ptr<AlgorithmRunner> next);
  /// Sets the algorithm that follows the warm start.
  void await(std::unique_ptr<AlgorithmRunner> next) { awaited_ = std::move(next); }
  std::unique_ptr<AlgorithmRunner> take_awaited() { return std::move(awaited_); }
  /// Starts the warm start again, because the run is back at its first steps.
  void begin_warm_start();
  /// Whether the awaited algorithm makes the step after `step` steps.
  bool warm_start_is_over(std::int64_t step) const;
  /// Whether a checkpoint after `step` steps, with these vectors in addition to the weights, belongs to the warm start
  /// that this run has completed.
  bool is_of_warm_start(std::int64_t step, const std::vector<std::string>& saved, std::int64_t steps_per_epoch) const;

  /// Properties that the current algorithm requires of replicas.
  BuiltFor built_for() const;
  /// Whether each step is a pass over all samples.
  bool passes() const;
  /// The number of parameter servers in the options; 0: as many as possible.
  int servers() const { return traits().servers; }
  /// @throws Error unsupported if the current or the awaited algorithm cannot train the model
  /// @param built the properties of the replicas
  void check(const ModelDescription& model, const BuiltFor& built) const;

  /// @param steps_per_epoch see AlgorithmRunner::state
  StateDescription state(std::int64_t steps_per_epoch) const { return state_of(*now_, steps_per_epoch); }
  StateDescription state_of(const AlgorithmRunner& algorithm, std::int64_t steps_per_epoch) const {
    return algorithm.state(optimizer_, options_.num_shards, steps_per_epoch);
  }
  /// The state of the synchronous steps of a warm start.
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
