#pragma once

#include "actors/algorithms/algorithm_runner.hpp"

namespace troupe {

/// Trains with local SGD (Stich 2019). Each shard makes several steps on its own copy of the weights, with its own
/// optimizer state. Then the outer rule (the option `LocalSgd::outer_optimizer`; Douillard et al. 2023) computes the
/// new weights from the mean of these copies. One call of `step` has two rounds and makes one version.
class LocalRunner : public AlgorithmRunner {
 public:
  explicit LocalRunner(const LocalSgd& options);

  StateDescription state(const UpdateRules& optimizer, int num_shards, std::int64_t steps_per_epoch) const override;
  std::int64_t steps_a_call() const override { return options_.steps; }
  StepReport step(const StepContext& context, const Deadline& deadline, bool rehearse) override;

 private:
  LocalSgd options_;
  OptimizerSettings outer_options_;
  UpdateRules outer_;
};

}  // namespace troupe
