#include <doctest/doctest.h>
#include <torch/utils.h>

#include <thread>

#include "support/errors.hpp"
#include "support/free_address.hpp"
#include "support/temporary_folder.hpp"
#include "support/trial_node.hpp"
#include "torch/modules.hpp"
#include "troupe/loop.hpp"
#include "troupe/sgd.hpp"
#include "troupe/testing.hpp"
#include "troupe/trainer.hpp"
#include "troupe/tune.hpp"

// libtorch defines a macro with this name, too.
#undef CHECK
#define CHECK(...) DOCTEST_CHECK(__VA_ARGS__)

using namespace troupe;
using namespace troupe_test;

namespace {

constexpr const char* kModel = "torch-odd";
constexpr std::int64_t kSteps = 5;

Options options_for(int workers, Placement placement = Placement::in_process) {
  Options options;
  options.num_workers = workers;
  options.num_shards = 6;
  options.placement = placement;
  options.optimizer = Adam{.learning_rate = 0.01};
  options.verbose = false;
  return options;
}

/// Makes the steps up to number `steps` and returns the weights.
std::vector<float> train(DistributedSGD& sgd, std::int64_t steps = kSteps) {
  while (sgd.steps_done() < steps) sgd.step();
  return sgd.weights();
}

std::vector<float> trained(const ModelCreator& model, const Options& options) {
  DistributedSGD sgd(model, options);
  return train(sgd);
}

const std::vector<float>& expected() {
  static const std::vector<float> weights = trained(kModel, options_for(1));
  return weights;
}

/// Keeps the graph of each pass until the next one.
struct KeepsGraph : Plain {
  torch::Tensor forward(torch::Tensor x) { return kept = out(x); }
  torch::Tensor kept;
};

/// Computes half of each batch in another thread.
struct UsesThread : Plain {
  torch::Tensor forward(torch::Tensor x) {
    const auto halves = x.chunk(2);
    torch::Tensor first;
    std::thread([&, in_training = torch::GradMode::is_enabled()] {
      const torch::AutoGradMode mode(in_training);
      first = out(halves[0]);
    }).join();
    return torch::cat({first, out(halves[1])});
  }
};

/// Returns NaN from its third training pass on.
struct BecomesNan : Plain {
  torch::Tensor forward(torch::Tensor x) {
    ++passes;
    return passes > 2 ? out(x) * std::numeric_limits<float>::quiet_NaN() : out(x);
  }
  int passes = 0;
};

/// Throws in its third pass.
struct ThrowsLater : Plain {
  torch::Tensor forward(torch::Tensor x) {
    if (++passes > 2) throw std::runtime_error("the module gives up");
    return out(x);
  }
  int passes = 0;
};

template <class Module>
CreateModel of_four_values() {
  return torch_model<Module>(four_values(24), {.batch_size = 4});
}

}  // namespace

TEST_CASE("a worker that is killed in the middle of a step does not change the weights of a module") {
  for (const char* phase : {"compute", "apply"}) {
    Options options = options_for(2, Placement::processes);
    options.fault_tolerance.faults = {testing::KillWorker{.worker = 1, .step = 3, .phase = phase}};
    DistributedSGD sgd(kModel, options);
    std::size_t repairs = 0;
    while (sgd.steps_done() < kSteps) repairs += sgd.step().repairs.size();
    CHECK(repairs == 1);
    CHECK(sgd.weights() == expected());
  }
}

TEST_CASE("a run with a module is resumed with another number of workers") {
  const TemporaryFolder folder;
  Options options = options_for(2);
  options.checkpoint.folder = folder / "run";
  {
    DistributedSGD sgd(kModel, options);
    train(sgd, 3);
    sgd.checkpoint();
  }
  options.num_workers = 3;
  options.checkpoint.resume = true;
  DistributedSGD sgd(kModel, options);
  CHECK(sgd.steps_done() == 3);
  CHECK(train(sgd) == expected());
}

TEST_CASE("a module trains on the nodes of a cluster, bitwise identical") {
  const TemporaryFolder logs;
  Options options = options_for(2, Placement::cluster);
  options.cluster.listen = free_address();
  options.cluster.num_nodes = 2;
  options.cluster.certs = trial_authority().folder() / "driver";
  const auto first = start_trial_node(0, options.cluster.listen, logs.path());
  const auto second = start_trial_node(1, options.cluster.listen, logs.path());
  CHECK(trained(kModel, options) == expected());
}

TEST_CASE("a module trains in a loop of your own, on the workers of a Trainer") {
  const auto train_on = [](int workers) {
    Trainer trainer({.num_workers = workers, .seed = 5});
    return trainer.run([](const Json&) -> Json {
      GroupSGD sgd(accelerate(kModel), here().group(), Sgd{.learning_rate = 0.05});
      double loss = 0;
      for (int step = 0; step < 5; ++step) loss = sgd.step().loss;
      return {{"loss", loss}, {"first", sgd.weights().front()}};
    });
  };
  const std::vector<TaskResult> two = train_on(2);
  REQUIRE(two.size() == 2);
  CHECK(two[0].json == two[1].json);
  CHECK(two[0].json["loss"].get<double>() < 2.3);  // the loss of ten classes at random
}

TEST_CASE("modules and networks of Troupe train in one program, and do not disturb each other") {
  Options options = options_for(2);
  options.config = R"({"data": "mock-images:8,3,60", "batch_size": 6})";
  const std::vector<float> alone = trained("mlp", options);
  DistributedSGD network("mlp", options);
  DistributedSGD module(kModel, options_for(2));
  DistributedSGD other("torch-tokens", options_for(2));
  for (std::int64_t step = 0; step < kSteps; ++step) {
    network.step();
    module.step();
    other.step();
  }
  CHECK(network.weights() == alone);
  CHECK(module.weights() == expected());
  CHECK(other.weights() == trained("torch-tokens", options_for(1)));
}

TEST_CASE("a module may keep a graph until its next pass, and may compute in a thread of its own") {
  const std::vector<float> plain = trained(of_four_values<Plain>(), options_for(2));
  CHECK(trained(of_four_values<KeepsGraph>(), options_for(2)) == plain);
  CHECK(trained(of_four_values<UsesThread>(), options_for(2)) == trained(of_four_values<UsesThread>(), options_for(1)));
}

TEST_CASE("a loss that is NaN, and an exception of a module, are typed errors, and change nothing") {
  const auto stops_after_two = [](const CreateModel& model) {
    Options options = options_for(1);
    options.num_shards = 1;
    DistributedSGD sgd(model, options);
    sgd.step();
    sgd.step();
    const std::vector<float> before = sgd.weights();
    const std::string said = message_of([&] { sgd.step(); });
    CHECK(sgd.steps_done() == 2);
    CHECK(sgd.weights() == before);
    return said;
  };
  CHECK(stops_after_two(of_four_values<BecomesNan>()).starts_with("the loss of shard 0 is NaN (worker 0"));
  CHECK(stops_after_two(of_four_values<ThrowsLater>()).starts_with("the module gives up (worker 0"));
}

TEST_CASE("a search compares learning rates of a module") {
  tune::Trainable trainable;
  trainable.function = "torch-tune";
  tune::Options options;
  options.space = {{"lr", tune::grid({0.0, 0.5})}};
  const tune::Analysis found = tune::run(trainable, options);
  REQUIRE(found.trials().size() == 2);
  CHECK(found.best().config["lr"] == 0.5);
  for (const tune::Trial& trial : found.trials()) CHECK(trial.reports.size() == 6);
}

TEST_CASE("a module computes on as many threads as its options say, or as its replica may use") {
  const auto fingerprint = [](int threads, int may_use) {
    const auto model = torch_model<Plain>(four_values(), {.threads = threads})({.threads = may_use});
    return model->start({.threads = may_use}).fingerprint;
  };
  CHECK(fingerprint(1, 3).find("-1-threads-") != std::string::npos);
  CHECK(fingerprint(0, 3).find("-3-threads-") != std::string::npos);
  CHECK(code_of([] { torch_model<Plain>(four_values(), {.threads = -1}); }) == ErrorCode::invalid_argument);
}
