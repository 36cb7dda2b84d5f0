#include <doctest/doctest.h>

#include <cmath>

#include "actors/optimizers/grouped_model.hpp"
#include "actors/optimizers/pytorch_model.hpp"
#include "actors/optimizers/sign_rule.hpp"
#include "actors/spoiled_model.hpp"
#include "support/errors.hpp"
#include "support/optimizers.hpp"

using namespace troupe;
using namespace troupe_test;
using namespace troupe::testing;

namespace {

constexpr int kClippedShards = 5;
constexpr const char* kClippedConfig = "5 64";
constexpr float kClippedRate = 0.25F;

Options clipping(Placement placement, int workers, double norm, const std::string& kind = "sgd") {
  Options options = quiet_options(placement, workers);
  options.num_shards = kClippedShards;
  options.config = kClippedConfig;
  edit(options)->kind = kind;
  edit(options)->learning_rate = static_cast<double>(kClippedRate);
  options.gradients.clip_norm = norm;
  return options;
}

struct Outcome {
  double norm = 0;
  std::vector<float> weights;

  bool operator==(const Outcome&) const = default;
};

Outcome run(const Options& options, int steps) {
  DistributedSGD sgd("grouped", options);
  for (int step = 0; step < steps; ++step) sgd.step();
  return {sgd.report().gradient_norm, sgd.weights()};
}

/// Computes one step with plain loops on one thread. Returns the weights and the norm of the mean gradient.
Outcome plain_step(double clip_norm) {
  GroupedModel model(kClippedConfig);
  double squares = 0;
  plain_run(model, kClippedShards, 1, 0, [&](std::size_t i, float old, float mean, float, std::int64_t) {
    if (i < model.info().learned_size) squares += std::pow(static_cast<double>(mean), 2);
    return old;
  });
  const double norm = std::sqrt(squares);
  const auto factor = static_cast<float>(std::min(1.0, clip_norm / (norm + 1e-6)));
  const auto flat =
      plain_run(model, kClippedShards, 1, 0, [&](std::size_t i, float old, float mean, float, std::int64_t) {
        return i < model.info().learned_size ? old - kClippedRate * (factor * mean) : mean;
      });
  std::vector<float> canonical(total_size(model.info().tensors));
  model.to_canonical(flat, canonical);
  return {norm, canonical};
}

}  // namespace

TEST_CASE("the mean gradient is scaled down to clip_norm, and statistics are not scaled") {
  for (const double norm : {0.001, 1.0, 1e6}) {
    CAPTURE(norm);
    const Outcome expected = plain_step(norm);
    const Outcome got = run(clipping(Placement::in_process, 2, norm), 1);
    CHECK(got.norm == doctest::Approx(expected.norm).epsilon(1e-12));
    REQUIRE(got.weights.size() == expected.weights.size());
    for (std::size_t i = 0; i < got.weights.size(); ++i)
      REQUIRE(got.weights[i] == doctest::Approx(expected.weights[i]).epsilon(1e-6));
  }
  const Outcome clipped = run(clipping(Placement::in_process, 2, 1e6), 1);
  CHECK(clipped.weights == run(clipping(Placement::in_process, 2, 0), 1).weights);
  CHECK(run(clipping(Placement::in_process, 2, 0), 1).norm == 0);
}

TEST_CASE("clipped steps are bitwise identical for any number of workers and devices, placement and strategy") {
  const auto with_groups = [](Options options) {
    edit(options)->weight_decay = 0.1;
    edit(options)->groups = {{"3.*", {}, 0.5}, {"*.bias", 0.0}};
    return options;
  };
  for (const char* kind : {"sgd", "adamw"}) {
    const Outcome expected = run(with_groups(clipping(Placement::in_process, 1, 0.5, kind)), 3);
    CHECK(expected.norm > 0.5);
    for (const Placement placement : {Placement::in_process, Placement::processes})
      for (const Strategy strategy : {Strategy::sharded, Strategy::driver})
        for (int workers = 1; workers <= 4; ++workers) {
          Options options = with_groups(clipping(placement, workers, 0.5, kind));
          options.gradients.strategy = strategy;
          if (workers == 2) options.compute.devices_per_worker = 2;
          CAPTURE(workers);
          CAPTURE(to_string(strategy));
          REQUIRE(run(options, 3) == expected);
        }
  }
}

TEST_CASE("clipping matches PyTorch") {
  for (const Strategy strategy : {Strategy::sharded, Strategy::driver}) {
    Options options = quiet_options(Placement::in_process, 2);
    options.gradients.strategy = strategy;
    options.optimizer = optimizer_of(trial_options());
    edit(options)->groups = {{"bias", 0.0, 0.5}};
    options.gradients.clip_norm = 2;
    DistributedSGD sgd([](int, int) { return std::make_unique<PytorchModel>(); }, options);
    for (int step = 0; step < kTrialSteps; ++step) sgd.step();
    CHECK(ulps_between(sgd.weights(), kPytorchClipped) <= 4);
  }
}

TEST_CASE("the phases of a clipped step do not exceed its time") {
  DistributedSGD sgd("grouped", clipping(Placement::in_process, 2, 0.5));
  const PhaseSeconds& s = sgd.step().seconds;
  CHECK(s.reduce > 0);
  CHECK(s.compute_all + s.reduce + s.apply_all <= s.step);
}

TEST_CASE("a gradient that is not finite fails a clipped step like any other step, and nothing is committed") {
  for (const Placement placement : {Placement::in_process, Placement::processes})
    for (const Strategy strategy : {Strategy::sharded, Strategy::driver})
      for (const char* value : {"nan", "inf"}) {
        CAPTURE(to_string(strategy));
        Options options = clipping(placement, 2, 0.5);
        options.gradients.strategy = strategy;
        options.config = Spoil{.tensors = "b", .value = value}.text();
        DistributedSGD sgd("spoiled", options);
        sgd.step();
        sgd.step();
        const auto before = sgd.weights();
        const auto step = [&] { sgd.step(); };
        CHECK(code_of(step) == ErrorCode::non_finite_weights);
        CHECK(message_of(step).find("tensor 'b'") != std::string::npos);
        CHECK(sgd.report().step == 2);
        CHECK(sgd.weights() == before);
        sgd.step();
        CHECK(sgd.report().step == 3);
      }
}

TEST_CASE("a gradient that is not finite fails a clipped step even if the rule produces finite weights") {
  register_optimizer("test-signs-only", [](const RegisteredOptimizer& /*options*/) {
    const auto update = [](const UpdateChunk& chunk) {
      for (std::size_t i = 0; i < chunk.count; ++i)
        chunk.new_weights[i] = sign_step(chunk.weights[i], kClippedRate, chunk.gradient_mean[i]);
      return all_finite({chunk.new_weights, chunk.count});
    };
    return UpdateRule{{}, [update](const UpdateStep& /*at*/) { return update; }};
  });
  Options options = clipping(Placement::in_process, 2, 0.5, "test-signs-only");
  options.config = Spoil{.tensors = "b", .value = "inf", .times = 1}.text();
  DistributedSGD sgd("spoiled", options);
  sgd.step();
  sgd.step();
  const auto step = [&] { sgd.step(); };
  CHECK(message_of(step).find("mean gradient is not finite") != std::string::npos);
  sgd.step();
  CHECK(sgd.report().step == 3);
}
