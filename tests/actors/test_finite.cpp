#include <doctest/doctest.h>

#include <limits>
#include <optional>

#include "actors/algorithms/known_algorithms.hpp"
#include "actors/spoiled_model.hpp"
#include "actors/test_models.hpp"
#include "support/errors.hpp"
#include "support/optimizers.hpp"

using namespace troupe;
using troupe_test::kPlacements;
using troupe_test::kSanitized;
using troupe_test::quiet_options;
using troupe_test::Spoil;

namespace {

constexpr int kFiniteShards = 5;
constexpr int kFiniteSteps = 5;

Options spoiled(const Spoil& spoil, Placement placement = Placement::in_process, int workers = 1) {
  Options options = quiet_options(placement, workers);
  options.num_shards = kFiniteShards;
  edit(options)->momentum = 0.9;
  options.config = spoil.text();
  return options;
}

Optimizer optimizer(const std::string& name, double rate) {
  OptimizerSettings options;
  options.learning_rate = rate;
  if (name == "adam" || name == "adagrad") options.kind = name;
  if (name == "momentum" || name == "nesterov") options.momentum = 0.9;
  options.nesterov = name == "nesterov";
  return optimizer_of(options);
}

/// Returns the weights of a run without spoiled values.
std::vector<float> undisturbed(Options options) {
  options.config = Spoil{}.text();
  DistributedSGD sgd("spoiled", options);
  for (int step = 0; step < kFiniteSteps; ++step) sgd.step();
  return sgd.weights();
}

/// Returns the error of the next step. Checks that the step changes nothing.
Error refused_step(DistributedSGD& sgd) {
  const auto before = sgd.weights();
  const std::int64_t steps = sgd.report().step;
  std::optional<Error> thrown;
  try {
    sgd.step();
  } catch (const Error& error) {
    thrown = error;
  }
  REQUIRE(thrown);
  INFO(std::string(thrown->what()));
  CHECK(thrown->code() == ErrorCode::non_finite_weights);
  CHECK(thrown->where().phase == "apply");
  CHECK(thrown->where().step == steps + 1);
  CHECK(sgd.report().step == steps);
  CHECK(sgd.weights() == before);
  return *thrown;
}

bool names(const Error& error, const std::string& part, const std::string& object) {
  INFO(std::string(error.what()));
  CHECK(error.message().find("new " + part + " would") != std::string::npos);
  CHECK(error.where().object == object);
  return error.message().find("new " + part + " would") != std::string::npos && error.where().object == object;
}

/// Takes two steps, checks that two steps are refused, and checks that the remaining steps give `expected`.
void check_survives(const Options& options, const std::string& part, const std::string& object,
                    const std::vector<float>& expected) {
  DistributedSGD sgd("spoiled", options);
  for (int step = 0; step < 2; ++step) sgd.step();
  for (int again = 0; again < 2; ++again) REQUIRE(names(refused_step(sgd), part, object));
  for (int step = 2; step < kFiniteSteps; ++step) sgd.step();
  CHECK(sgd.weights() == expected);
}

}  // namespace

TEST_CASE("the error for a step with non-finite values names the first such tensor, and the step is not committed") {
  const std::vector<float> expected = undisturbed(spoiled({}));
  struct Accident {
    Spoil spoil;
    const char* part;
    const char* object;
  };
  const Accident accidents[] = {{{"cb", "inf"}, "weights", "tensor 'b'"},
                                {{"dca", "-inf"}, "weights", "tensor 'a'"},
                                {{"d", "nan"}, "statistics", "tensor 'd'"},
                                {{"pd", "inf"}, "statistics", "tensor 'd'"},
                                {{"p", "nan"}, "weights", "padding"}};
  for (const Accident& accident : accidents)
    for (const Placement placement : kPlacements)
      for (const Strategy strategy : {Strategy::sharded, Strategy::driver})
        for (const auto& deal : {std::pair{1, 1}, {1, 3}, {2, 2}, {5, 1}}) {
          if (kSanitized && placement == Placement::processes && deal.first != 2) continue;
          Options options = spoiled(accident.spoil, placement, deal.first);
          options.compute.devices_per_worker = deal.second;
          options.gradients.strategy = strategy;
          CAPTURE(accident.spoil.tensors);
          CAPTURE(static_cast<int>(placement));
          CAPTURE(to_string(strategy));
          CAPTURE(deal.first);
          check_survives(options, accident.part, accident.object, expected);
        }
}

TEST_CASE("a refused step does not change the state of any optimizer") {
  for (const char* name : {"sgd", "momentum", "nesterov", "adagrad", "adam"})
    for (const Placement placement : kPlacements) {
      CAPTURE(name);
      Options options = spoiled({"c", "inf"}, placement, 2);
      options.optimizer = optimizer(name, 0.05);
      check_survives(options, "weights", "tensor 'c'", undisturbed(options));
    }
}

TEST_CASE("a learning rate that is far too large fails before it spoils the weights") {
  struct Case {
    const char* optimizer;
    double rate;
    const char* part;
  };
  // Adam and Adagrad divide by the root of the value that overflows: their weights stay finite longer than their state.
  const Case cases[] = {{"sgd", 1e38, "weights"},
                        {"momentum", 1e38, "weights"},
                        {"nesterov", 1e38, "weights"},
                        {"adagrad", 1e38, "sum of squares"},
                        {"adam", 1e37, "second moment"}};
  for (const Case& at : cases) {
    CAPTURE(at.optimizer);
    Options options = spoiled({}, Placement::in_process, 2);
    options.optimizer = optimizer(at.optimizer, at.rate);
    DistributedSGD sgd("spoiled", options);
    sgd.step();
    CHECK(names(refused_step(sgd), at.part, "tensor 'a'"));
    CHECK(names(refused_step(sgd), at.part, "tensor 'a'"));
    sgd.set_weights(std::vector<float>(sgd.weights().size()));  // a single step from these weights succeeds
    sgd.step();
  }
  Options options = spoiled({}, Placement::in_process, 2);
  edit(options)->learning_rate = 1e300;  // not representable as a float
  CHECK(code_of([&] { DistributedSGD("spoiled", options); }) == ErrorCode::invalid_argument);
}

TEST_CASE("a warm-up is checked, too, and the error gives the reason if it cannot name the tensor") {
  DistributedSGD early("spoiled", spoiled({.tensors = "b", .times = 1, .step = 0}));
  CHECK(code_of([&] { early.warmup(); }) == ErrorCode::non_finite_weights);
  CHECK(early.step().step == 1);

  struct Undescribed : troupe_test::SpoiledModel {
    using SpoiledModel::SpoiledModel;
    void from_canonical(std::span<const float>, std::span<float>) const override {
      throw std::runtime_error("no such luck");
    }
  };
  DistributedSGD sgd([](int, int) { return std::make_unique<Undescribed>(Spoil{.tensors = "b", .times = 1}); },
                     spoiled({}));
  sgd.step();
  sgd.step();
  const Error error = refused_step(sgd);
  CHECK(error.message().find("no such luck") != std::string::npos);
  CHECK(error.where().object.empty());
  for (int step = 2; step < kFiniteSteps; ++step) sgd.step();
  CHECK(sgd.weights() == undisturbed(spoiled({})));
}

TEST_CASE("padding stays finite if an optimizer without epsilon divides zero by zero") {
  for (const char* kind : {"adam", "adagrad"}) {
    Options options = quiet_options(Placement::in_process, 2);
    edit(options)->kind = kind;
    edit(options)->learning_rate = 1e-4;
    edit(options)->epsilon = 0;
    options.config = R"({"batch_size": 4, "data": "mock-images:32,10"})";
    DistributedSGD sgd("resnet18", options);
    for (int step = 0; step < 2; ++step) sgd.step();
    CHECK(sgd.report().step == 2);
  }
}

TEST_CASE("the error for a loss of non-finite weights names the weights and no worker") {
  for (const char* algorithm : {"synchronous", "local", "downpour"})
    for (const Placement placement : kPlacements) {
      CAPTURE(algorithm);
      Options options = quiet_options(placement, 2);
      options.algorithm = algorithm_by_name(algorithm);
      options.config = R"({"batch_size": 4})";
      DistributedSGD sgd("mlp", options);
      std::vector<float> weights = sgd.weights();
      weights.back() = std::numeric_limits<float>::quiet_NaN();
      sgd.set_weights(weights);
      try {
        sgd.step();
        CHECK(false);
      } catch (const Error& error) {
        INFO(std::string(error.what()));
        CHECK(error.code() == ErrorCode::non_finite_loss);
        CHECK(error.message().find("since the weights are not finite") != std::string::npos);
        CHECK(error.where() == Where{.phase = "compute", .step = 1});
      }
    }
}
