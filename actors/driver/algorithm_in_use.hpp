#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "actors/algorithms/known_algorithms.hpp"

namespace troupe {

/// The algorithm that makes a run's steps now, and, as long as these are synchronous to begin with (`warm_start`), that
/// of the options, which it awaits.
class AlgorithmInUse {
 public:
  /// @param options of the run, which may come to say another algorithm; checked before `begin`
  AlgorithmInUse(const Options& options, const UpdateRules& optimizer);

  /// As the options say it. @throws Error bad_file where it cannot record or replay
  void begin();
  AlgorithmRunner& operator*() const { return *now_; }
  AlgorithmRunner* operator->() const { return now_.get(); }
  /// As reports name it.
  const char* name() const;
  /// Null where none is awaited.
  const AlgorithmRunner* awaited() const { return awaited_.get(); }

  /// Another makes the steps from now on, and none is awaited. Returns the one before.
  std::unique_ptr<AlgorithmRunner> exchange(std::unique_ptr<AlgorithmRunner> next);
  /// Steps are synchronous until it is over.
  void await(std::unique_ptr<AlgorithmRunner> next) { awaited_ = std::move(next); }
  std::unique_ptr<AlgorithmRunner> take_awaited() { return std::move(awaited_); }
  /// The run is back at its first steps.
  void begin_warm_start();
  /// Whether after so many steps the awaited one is to make the next.
  bool warm_start_is_over(std::int64_t step) const;
  /// Whether a checkpoint of so many steps, with such vectors beside the weights, is of the synchronous steps that this
  /// run has behind it.
  bool is_of_warm_start(std::int64_t step, const std::vector<std::string>& saved, std::int64_t steps_per_epoch) const;

  /// What the algorithm of this step asks of replicas.
  BuiltFor built_for() const;
  /// Whether a step is a pass over all samples.
  bool passes() const;
  /// How many parameter servers the options say; 0: as many as there is room for.
  int servers() const { return traits().servers; }
  /// @throws Error unsupported for a model that it cannot learn, or that the awaited one cannot
  /// @param built as replicas are
  void check(const ModelDescription& model, const BuiltFor& built) const;

  /// @param steps_per_epoch as AlgorithmRunner::state
  StateDescription state(std::int64_t steps_per_epoch) const { return state_of(*now_, steps_per_epoch); }
  StateDescription state_of(const AlgorithmRunner& algorithm, std::int64_t steps_per_epoch) const {
    return algorithm.state(optimizer_, options_.num_shards, steps_per_epoch);
  }
  /// Of the synchronous steps of a warm start.
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
