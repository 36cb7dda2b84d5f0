#include <doctest/doctest.h>

#include "models/optimizers/pytorch_trial.hpp"
#include "models/optimizers/update_rules.hpp"

using namespace troupe;
using namespace troupe::testing;

TEST_CASE("adamw computes the same weights as PyTorch") {
  const UpdateRules optimizer(trial_options());
  std::vector<float> weights(kTrialSize);
  std::vector<float> gradient(kTrialSize);
  std::vector<float> first(kTrialSize);
  std::vector<float> second(kTrialSize);
  for (std::size_t i = 0; i < kTrialSize; ++i) weights[i] = trial_start(i);
  for (int step = 0; step < kTrialSteps; ++step) {
    for (std::size_t i = 0; i < kTrialSize; ++i) gradient[i] = trial_gradient(step, i);
    const auto old = std::vector{weights, first, second};
    const float* const state[] = {old[1].data(), old[2].data()};
    float* const new_state[] = {first.data(), second.data()};
    REQUIRE(optimizer.prepare({optimizer.learning_rate(step), step, step})
                .front()({kTrialSize, gradient.data(), old[0].data(), weights.data(), state, new_state}));
  }
  CHECK(ulps_between(weights, kPytorchAdamW) <= 2);
}
