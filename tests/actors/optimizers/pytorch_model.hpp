#pragma once

#include "models/optimizers/pytorch_trial.hpp"
#include "troupe/model.hpp"

namespace troupe_test {

/// The model that pytorch_adamw.py trains. All shards have the same gradient.
class PytorchModel : public troupe::Model {
 public:
  void initialize(std::span<float> weights, std::uint64_t /*seed*/) override {
    for (std::size_t i = 0; i < weights.size(); ++i) weights[i] = troupe::testing::trial_start(i);
  }
  troupe::BatchResult gradient(const troupe::ShardStep& at, std::span<const float> /*weights*/,
                               std::span<float> gradient) override {
    for (std::size_t i = 0; i < gradient.size(); ++i) gradient[i] = troupe::testing::trial_gradient(at.step, i);
    return {0, 1};
  }

 protected:
  troupe::ModelInfo prepare(const troupe::ReplicaContext& /*context*/) override {
    return {.size = troupe::testing::kTrialSize, .tensors = {{"weight", {8}}, {"bias", {4}}}};
  }
};

}  // namespace troupe_test
