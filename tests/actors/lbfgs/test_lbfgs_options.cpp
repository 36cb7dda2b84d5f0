#include <doctest/doctest.h>

#include <atomic>
#include <cmath>
#include <limits>
#include <memory>

#include "actors/lbfgs/lbfgs_trial.hpp"
#include "support/errors.hpp"
#include "support/optimizers.hpp"
#include "troupe/models.hpp"

using namespace troupe;
using namespace troupe_test;

TEST_CASE("shards and portions without samples add nothing") {
  // Shard 0 has 11 samples, shard 1 has none, and shard 2 has 9. Batches have 2 samples, so the last batch of shard 2
  // is empty.
  const std::string config = "logistic 32 11 2 1";
  Options options = lbfgs_options(config);
  edit(options)->weight_decay = 0.01;
  std::get<Lbfgs>(options.algorithm).portions = 18;
  DistributedSGD sgd("smooth", options);
  const auto model = make_smooth(config);
  model->start({.num_shards = 3});
  const StepReport first = sgd.step();
  CHECK(first.samples == 20 * first.lbfgs.evaluations);
  CHECK(first.lbfgs.portions == 18 * first.lbfgs.evaluations);
  const StepReport report = descend(sgd, 60);
  CHECK(report.lbfgs.end == LbfgsEnd::converged);
  Numbers gradient;
  CHECK(report.lbfgs.objective == doctest::Approx(objective(*model, 3, learned_of(sgd, 32), gradient, 0.01)));
  CHECK(largest(gradient) < 1.1e-5);
  DistributedSGD none("smooth", lbfgs_options("logistic 32 0 2", 1, 1));
  CHECK(code_of([&] { none.step(); }) == ErrorCode::bad_data);
}

TEST_CASE("portions are consecutive batches of a shard, and there are at most as many portions as batches") {
  struct Noted : FormulaModel {
    Noted(std::shared_ptr<std::atomic<int>> calls) : FormulaModel({1}, {}), calls_(std::move(calls)) {}
    std::int64_t add(const ShardStep& at, const Numbers& x, double& loss, Numbers& gradient) const override {
      CHECK(at.step < 3);
      ++*calls_;
      const double target = static_cast<double>(at.step);
      loss += (x[0] - target) * (x[0] - target);
      gradient[0] += 2 * (x[0] - target);
      return 1;
    }
    ModelInfo prepare(const ReplicaContext& /*context*/) override { return {.size = 1, .steps_per_epoch = 3}; }
    std::shared_ptr<std::atomic<int>> calls_;
  };
  for (const int portions : {0, 1, 2, 4, 6, 100}) {
    CAPTURE(portions);
    Options options = lbfgs_options("", 2, 2);
    std::get<Lbfgs>(options.algorithm).portions = portions;
    const auto calls = std::make_shared<std::atomic<int>>(0);
    DistributedSGD sgd([=](int, int) { return std::make_unique<Noted>(calls); }, options);
    const StepReport report = sgd.step();
    CHECK(*calls == 6 * report.lbfgs.evaluations);
    const int each = portions == 1 || portions == 2 ? 2 : portions == 4 ? 4 : 6;
    CHECK(report.lbfgs.portions == each * report.lbfgs.evaluations);
    CHECK(descend(sgd, 10).lbfgs.end == LbfgsEnd::converged);
    CHECK(sgd.weights()[0] == doctest::Approx(1));
  }
}

TEST_CASE("without full batches, each step of L-BFGS uses one batch of each shard") {
  struct Noted : FormulaModel {
    Noted(std::shared_ptr<std::atomic<std::int64_t>> step) : FormulaModel({1}, {}), step_(std::move(step)) {}
    std::int64_t add(const ShardStep& at, const Numbers& x, double& loss, Numbers& gradient) const override {
      CHECK(at.step == *step_);
      const double target = static_cast<double>(at.step % 3);
      loss += (x[0] - target) * (x[0] - target);
      gradient[0] += 2 * (x[0] - target);
      return at.shard + 1;
    }
    ModelInfo prepare(const ReplicaContext& /*context*/) override { return {.size = 1, .steps_per_epoch = 3}; }
    std::shared_ptr<std::atomic<std::int64_t>> step_;
  };
  Options options = lbfgs_options("", 2, 3);
  std::get<Lbfgs>(options.algorithm).full_batch = false;
  std::get<Lbfgs>(options.algorithm).portions = 9;
  std::get<Lbfgs>(options.algorithm).tolerance = 0;
  const auto at = std::make_shared<std::atomic<std::int64_t>>(0);
  DistributedSGD sgd([=](int, int) { return std::make_unique<Noted>(at); }, options);
  for (int step = 0; step < 6; ++step) {
    *at = step;
    const StepReport report = sgd.step();
    CHECK(report.samples == 6 * report.lbfgs.evaluations);
    CHECK(report.lbfgs.portions == 3 * report.lbfgs.evaluations);
    REQUIRE(report.step == step + 1);
  }
  CHECK(sgd.steps_per_epoch() == 3);
}

TEST_CASE("L-BFGS refuses models with a loss that is random or depends on the batch, unless they are frozen") {
  Options options = lbfgs_options("", 2, 3);
  const auto make = [&] { DistributedSGD("dropping", options).step(); };
  CHECK(code_of(make) == ErrorCode::unsupported);
  CHECK(message_of(make).find("dropout") != std::string::npos);
  CHECK(message_of(make).find("freeze") != std::string::npos);
  Options synchronous = options;
  synchronous.algorithm = Synchronous();
  DistributedSGD sgd("dropping", synchronous);
  sgd.step();
  CHECK(code_of([&] { sgd.use(Lbfgs{}); }) == ErrorCode::unsupported);
  CHECK(sgd.step().algorithm == "synchronous");
  sgd.use(Lbfgs{.freeze = true});
  const double before = sgd.step().lbfgs.objective;
  CHECK(sgd.step().lbfgs.objective < before);
  sgd.use(Synchronous());
  CHECK(sgd.step().algorithm == "synchronous");
  std::get<Lbfgs>(options.algorithm).freeze = true;
  DistributedSGD frozen("dropping", options);
  frozen.step();
  CHECK(frozen.report().lbfgs.end == LbfgsEnd::none);
}

TEST_CASE("frozen batch-norm computes as in evaluations, and its statistics do not change") {
  const auto create = [](const ReplicaContext& at) {
    using namespace models;
    return network({conv2d(4, {.kernel = 3, .padding = 1}), batch_norm(), relu(), flatten(), linear(4)},
                   load_data("mock-images:6,4", at.seed), 16);
  };
  Options options = lbfgs_options("", 2, 2);
  const auto make = [&] { DistributedSGD(create, options).step(); };
  CHECK(code_of(make) == ErrorCode::unsupported);
  CHECK(message_of(make).find("batch-norm") != std::string::npos);
  std::get<Lbfgs>(options.algorithm).freeze = true;
  DistributedSGD frozen(create, options);
  const auto begun = frozen.weights();
  for (int step = 0; step < 3; ++step) REQUIRE(frozen.step().lbfgs.end == LbfgsEnd::none);
  const auto weights = frozen.weights();
  std::size_t at = 0;
  int statistics = 0;
  for (const TensorInfo& tensor : frozen.tensors()) {
    const bool stays = tensor.name.find("running") != std::string::npos;
    statistics += stays ? 1 : 0;
    const auto begin = static_cast<std::ptrdiff_t>(at);
    at += tensor.size();
    CAPTURE(tensor.name);
    CHECK(std::equal(weights.begin() + begin, weights.begin() + static_cast<std::ptrdiff_t>(at),
                     begun.begin() + begin) == stays);
  }
  CHECK(statistics == 2);
}

TEST_CASE("invalid options of L-BFGS are refused") {
  const auto code = [](auto change) {
    Options options = lbfgs_options("rosenbrock 2");
    change(options);
    return code_of([&] { DistributedSGD("smooth", options); });
  };
  CHECK_FALSE(code([](Options&) {}));
  CHECK(code([](Options& o) { std::get<Lbfgs>(o.algorithm).history = 0; }) == ErrorCode::invalid_argument);
  CHECK(code([](Options& o) { std::get<Lbfgs>(o.algorithm).history = 101; }) == ErrorCode::invalid_argument);
  CHECK_FALSE(code([](Options& o) { std::get<Lbfgs>(o.algorithm).history = 100; }));
  CHECK(code([](Options& o) { std::get<Lbfgs>(o.algorithm).tolerance = -1e-9; }) == ErrorCode::invalid_argument);
  CHECK(code([](Options& o) { std::get<Lbfgs>(o.algorithm).tolerance = std::nan(""); }) == ErrorCode::invalid_argument);
  CHECK(code([](Options& o) { std::get<Lbfgs>(o.algorithm).tolerance = INFINITY; }) == ErrorCode::invalid_argument);
  CHECK(code([](Options& o) { std::get<Lbfgs>(o.algorithm).max_evaluations = 0; }) == ErrorCode::invalid_argument);
  CHECK(code([](Options& o) { std::get<Lbfgs>(o.algorithm).max_evaluations = 1001; }) == ErrorCode::invalid_argument);
  CHECK(code([](Options& o) { std::get<Lbfgs>(o.algorithm).portions = -1; }) == ErrorCode::invalid_argument);
  CHECK(code([](Options& o) { std::get<Lbfgs>(o.algorithm).backup_portions = -1; }) == ErrorCode::invalid_argument);
  CHECK(code([](Options& o) { std::get<Lbfgs>(o.algorithm).backup_portions = 1001; }) == ErrorCode::invalid_argument);
  CHECK(code([](Options& o) { o.gradients.clip_norm = 1; }) == ErrorCode::unsupported);
  CHECK(code([](Options& o) { o.gradients.strategy = Strategy::driver; }) == ErrorCode::unsupported);
  CHECK(code([](Options& o) { o.fault_tolerance.backup_workers = 1; }) == ErrorCode::unsupported);
  DistributedSGD sgd("smooth", lbfgs_options("rosenbrock 2"));
  CHECK(code_of([&] { sgd.use(Lbfgs{.history = 0}); }) == ErrorCode::invalid_argument);
  CHECK(sgd.step().step == 1);
}

TEST_CASE("if the store has no room for L-BFGS, use() fails and changes nothing") {
  Options options = lbfgs_options("", 2, 3);
  options.algorithm = Synchronous();
  options.optimizer = Sgd{.learning_rate = 0.01, .momentum = 0.9};
  options.config = "quadratic 2000 10";
  options.memory.store_bytes = std::size_t{1} << 20;
  DistributedSGD sgd("smooth", options);
  sgd.step();
  DistributedSGD undisturbed("smooth", options);
  undisturbed.step();
  CHECK(code_of([&] { sgd.use(Lbfgs{.history = 100}); }) == ErrorCode::store_full);
  CHECK(sgd.step().algorithm == "synchronous");
  undisturbed.step();
  CHECK((sgd.weights() == undisturbed.weights()));
}
