#pragma once

#include "actors/algorithms/algorithm_runner.hpp"

namespace troupe {

/// Local SGD: each shard takes several steps on its own copy of the weights. Then an outer rule (`outer_optimizer`)
/// makes the new weights from the mean of these copies. One call of `step` has two rounds and makes one version. Each
/// shard has its own optimizer state. See Stich 2019 and, for the outer rule, Douillard et al. 2023.
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
