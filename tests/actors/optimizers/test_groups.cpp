#include <doctest/doctest.h>

#include "actors/algorithms/known_algorithms.hpp"
#include "actors/optimizers/grouped_model.hpp"
#include "actors/optimizers/pytorch_model.hpp"
#include "models/optimizers/groups.hpp"
#include "support/errors.hpp"
#include "support/optimizers.hpp"
#include "support/temporary_folder.hpp"

using namespace troupe;
using namespace troupe_test;
using namespace troupe::testing;

namespace {

constexpr int kGroupedShards = 5;
constexpr int kGroupedSteps = 3;
constexpr const char* kGroupedConfig = "5 64";  // about 8,000 floats, in more than two pages
constexpr double kDecay = 0.1;
constexpr double kGroupedRate = 0.05;

Options grouped(Placement placement, int workers, const std::string& kind) {
  Options options = quiet_options(placement, workers);
  options.num_shards = kGroupedShards;
  options.config = kGroupedConfig;
  edit(options)->kind = kind;
  edit(options)->learning_rate = kGroupedRate;
  edit(options)->weight_decay = kDecay;
  edit(options)->groups = {{"3.*", {}, 0.5}, {"*.bias", 0.0}};
  return options;
}

std::vector<float> run_grouped(const Options& options) {
  DistributedSGD sgd("grouped", options);
  for (int step = 0; step < kGroupedSteps; ++step) sgd.step();
  return sgd.weights();
}

/// Computes the weights with plain loops on one thread.
std::vector<float> plain_grouped_run() {
  GroupedModel model(kGroupedConfig);
  const auto update = [&](std::size_t i, float old, float mean, float, std::int64_t) {
    if (i >= model.info().learned_size) return mean;
    const int tensor = model.tensor_of()[i];
    const bool third = tensor / 2 == 3;
    const bool bias = tensor % 2 == 1;
    const float decay = static_cast<float>(bias && !third ? 0 : kDecay);
    return old - static_cast<float>(third ? kGroupedRate / 2 : kGroupedRate) * (mean + decay * old);
  };
  const auto flat = plain_run(model, kGroupedShards, kGroupedSteps, 0, update);
  std::vector<float> canonical(total_size(model.info().tensors));
  model.to_canonical(flat, canonical);
  return canonical;
}

}  // namespace

TEST_CASE("each tensor is updated with its group's settings, bitwise identical for any number of workers") {
  const auto expected = plain_grouped_run();
  for (const Placement placement : {Placement::in_process, Placement::processes})
    for (const Strategy strategy : {Strategy::sharded, Strategy::driver})
      for (int workers = 1; workers <= 4; ++workers) {
        CAPTURE(workers);
        CAPTURE(to_string(strategy));
        Options options = grouped(placement, workers, "sgd");
        options.gradients.strategy = strategy;
        REQUIRE(run_grouped(options) == expected);
      }
}

TEST_CASE("update rules with state support groups") {
  for (const char* kind : {"adagrad", "adam", "adamw"}) {
    const auto expected = run_grouped(grouped(Placement::in_process, 1, kind));
    Options plain = grouped(Placement::in_process, 1, kind);
    edit(plain)->groups.clear();
    CHECK(run_grouped(plain) != expected);
    for (const int workers : {2, 3, 4}) CHECK(run_grouped(grouped(Placement::in_process, workers, kind)) == expected);
  }
}

TEST_CASE("groups match PyTorch") {
  Options options = quiet_options(Placement::in_process, 2);
  options.optimizer = optimizer_of(trial_options());
  edit(options)->groups = {{"bias", 0.0, 0.5}};
  DistributedSGD sgd([](int, int) { return std::make_unique<PytorchModel>(); }, options);
  for (int step = 0; step < kTrialSteps; ++step) sgd.step();
  CHECK(ulps_between(sgd.weights(), kPytorchGroups) <= 2);
}

TEST_CASE("the error for a group that matches no tensor names the group") {
  for (const Placement placement : {Placement::in_process, Placement::processes}) {
    Options options = grouped(placement, 2, "sgd");
    edit(options)->groups.push_back({"*.bais", 0.0});
    const auto start = [&] { DistributedSGD sgd("grouped", options); };
    CHECK(code_of(start) == ErrorCode::invalid_argument);
    CHECK(message_of(start).find("the pattern '*.bais' of a group matches no tensor") != std::string::npos);
  }
}

TEST_CASE("frozen tensors never change, and all other results are bitwise identical, for every algorithm with groups") {
  const auto run = [](const std::string& model, const Options& options) {
    DistributedSGD sgd(model, options);
    const std::vector<float> first = sgd.weights();
    for (int step = 0; step < kGroupedSteps; ++step) sgd.step();
    std::vector<float> weights = sgd.weights();
    std::size_t at = 0;
    for (const TensorInfo& tensor : sgd.tensors()) {
      const auto begin = static_cast<std::ptrdiff_t>(at);
      const auto end = static_cast<std::ptrdiff_t>(at += tensor.size());
      const bool same = std::equal(first.begin() + begin, first.begin() + end, weights.begin() + begin);
      CAPTURE(tensor.name);
      const bool statistic = tensor.name.find(".running_") != std::string::npos;  // L-BFGS does not change them, either
      if (!statistic || fits("1.*", tensor.name))
        CHECK(same == (fits("1.*", tensor.name) || tensor.name == "statistics"));
    }
    return weights;
  };
  const std::string network = R"({"data": "mock-images:8,3,60", "batch_size": 5})";
  const LocalSgd local{.steps = 2, .outer = OuterNesterov()};
  for (const auto& [algorithm, model] : {std::pair<Algorithm, const char*>(Synchronous(), "grouped"),
                                         {local, "grouped"},
                                         {local, "cnn-bn"},
                                         {Lbfgs{.freeze = true}, "cnn-bn"}}) {
    CAPTURE(to_string(algorithm));
    CAPTURE(model);
    const auto options = [&](Placement placement, int workers) {
      Options o = grouped(placement, workers, "sgd");
      o.algorithm = algorithm;
      if (model == std::string("cnn-bn")) o.config = network;
      edit(o)->momentum = 0.9;
      edit(o)->groups = {{.pattern = "1.*", .weight_decay = 0.5, .frozen = true}};
      if (model == std::string("grouped")) edit(o)->groups.push_back({.pattern = "statistics", .frozen = true});
      return o;
    };
    const auto expected = run(model, options(Placement::in_process, 1));
    for (const int workers : {2, 3}) CHECK(run(model, options(Placement::in_process, workers)) == expected);
    CHECK(run(model, options(Placement::processes, 2)) == expected);
  }
}

TEST_CASE("resumed L-BFGS does not change tensors that were frozen since the checkpoint") {
  const TemporaryFolder folder;
  Options options = grouped(Placement::in_process, 2, "sgd");
  options.algorithm = Lbfgs{.freeze = true};
  options.config = R"({"data": "mock-images:8,3,60", "batch_size": 5})";
  edit(options)->groups = {};
  options.checkpoint.folder = folder / "kept";
  {
    DistributedSGD sgd("cnn-bn", options);
    for (int step = 0; step < kGroupedSteps; ++step) sgd.step();
    sgd.checkpoint();
  }
  options.checkpoint.resume = true;
  edit(options)->groups = {{.pattern = "1.*", .frozen = true}};
  DistributedSGD sgd("cnn-bn", options);
  const std::vector<float> begun = sgd.weights();
  for (int step = 0; step < kGroupedSteps; ++step) sgd.step();
  const std::vector<float> weights = sgd.weights();
  std::size_t at = 0;
  for (const TensorInfo& tensor : sgd.tensors()) {
    const auto begin = static_cast<std::ptrdiff_t>(at);
    const auto end = static_cast<std::ptrdiff_t>(at += tensor.size());
    const bool statistic = tensor.name.find(".running_") != std::string::npos;
    CAPTURE(tensor.name);
    CHECK(std::equal(begun.begin() + begin, begun.begin() + end, weights.begin() + begin) ==
          (statistic || fits("1.*", tensor.name)));
  }
}
