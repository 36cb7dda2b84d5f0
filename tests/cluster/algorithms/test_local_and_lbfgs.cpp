#include <doctest/doctest.h>
#include <signal.h>

#include "actors/algorithms/known_algorithms.hpp"
#include "cluster/nodes.hpp"
#include "support/errors.hpp"
#include "support/patience.hpp"

// Local SGD and L-BFGS on nodes: comparison with one process, and behaviour after the loss of a node.
using namespace troupe;
using namespace troupe_test;
using troupe::testing::TemporaryFolder;

namespace {

constexpr int kSteps = 12;
constexpr int kShards = 4;

/// Returns the algorithm with the settings of these tests.
Algorithm named(const std::string& name) {
  if (name == "local") return LocalSgd{.steps = 3, .outer = OuterNesterov()};
  if (name == "lbfgs") return Lbfgs{.history = 3, .tolerance = 0, .portions = 8};
  return algorithm_by_name(name);
}

Options trained_by(Options options, const std::string& algorithm) {
  options.algorithm = named(algorithm);
  options.num_shards = kShards;
  options.config = R"({"data": "synthetic-linear", "batch_size": 50})";
  options.optimizer = Sgd{.learning_rate = 0.02, .momentum = 0.5, .weight_decay = 1e-3};
  options.verbose = false;
  return options;
}

std::vector<float> weights_after(const Options& options, int steps) {
  DistributedSGD sgd("linear", options);
  while (sgd.steps_done() < steps) sgd.step();
  return sgd.weights();
}

std::vector<float> one_process(const std::string& algorithm, int steps) {
  return weights_after(trained_by({}, algorithm), steps);
}

}  // namespace

TEST_CASE("local SGD and L-BFGS on nodes are bitwise identical to one process") {
  Nodes nodes(2);
  for (const char* algorithm : {"local", "lbfgs"})
    for (const Strategy strategy : {Strategy::hierarchical, Strategy::ring, Strategy::parameter_server}) {
      CAPTURE(algorithm);
      CAPTURE(to_string(strategy));
      Options options = trained_by(nodes.options(), algorithm);
      options.gradients.strategy = strategy;
      if (auto* const lbfgs = std::get_if<Lbfgs>(&options.algorithm)) lbfgs->backup_portions = 1;
      CHECK(weights_after(options, kSteps) == one_process(algorithm, kSteps));
    }
}

TEST_CASE("state of local SGD and L-BFGS moves from nodes to one process and back through a checkpoint") {
  Nodes nodes(2);
  for (const char* algorithm : {"local", "lbfgs"}) {
    CAPTURE(algorithm);
    const TemporaryFolder folder;
    {
      DistributedSGD sgd("linear", trained_by(nodes.options(), algorithm));
      while (sgd.steps_done() < kSteps / 2) sgd.step();
      sgd.save_state(folder / "nodes");
    }
    DistributedSGD here("linear", trained_by({}, algorithm));
    here.load_state(folder / "nodes");
    here.save_state(folder / "here");
    while (here.steps_done() < kSteps) here.step();
    const auto expected = one_process(algorithm, kSteps);
    CHECK(here.weights() == expected);
    DistributedSGD again("linear", trained_by(nodes.options(), algorithm));
    again.load_state(folder / "here");
    while (again.steps_done() < kSteps) again.step();
    CHECK(again.weights() == expected);
  }
}

TEST_CASE("a step of local SGD sends as many bytes between nodes as a synchronous step") {
  Nodes nodes(2);
  const auto sent = [&](const std::string& algorithm) {
    Options options = trained_by(nodes.options(), algorithm);
    if (algorithm == "local") options.algorithm = LocalSgd{.steps = 3};
    DistributedSGD sgd("linear", options);
    sgd.step();
    return sgd.step().bytes_sent;
  };
  const auto synchronous = sent("synchronous");
  CHECK(synchronous > 0);
  CHECK(sent("local") == synchronous);
}

TEST_CASE("weights of L-BFGS are still readable after a node is lost while a pair is stored") {
  Nodes nodes(2);
  Options options = trained_by(nodes.options(), "lbfgs");
  options.fault_tolerance.faults = {testing::CutNode{.node = 0, .step = 3, .phase = "remember"}};  // the pair of step 2
  options.fault_tolerance.cut_after = std::chrono::seconds(5);  // after this time a link counts as cut
  DistributedSGD sgd("linear", options);
  sgd.step();
  CHECK(sgd.step().step == 2);
  const auto expected = one_process("lbfgs", 2);
  CHECK(sgd.weights() == expected);
  CHECK(sgd.weights() == expected);  // from the same node a second time
  CHECK(code_of([&] { sgd.step(); }) == ErrorCode::worker_lost);
}

TEST_CASE("runs of local SGD and L-BFGS that lose a node resume from a checkpoint, bitwise identical") {
  Nodes nodes(2);
  for (const char* algorithm : {"local", "lbfgs"}) {
    CAPTURE(algorithm);
    const TemporaryFolder folder;
    Options options = trained_by(nodes.options(), algorithm);
    options.checkpoint.folder = folder / "run";
    options.checkpoint.every_steps = 3;
    options.fault_tolerance.max_failures = 1;
    DistributedSGD sgd("linear", options);
    std::size_t repairs = 0;
    while (sgd.steps_done() < kSteps) {
      repairs += sgd.step().repairs.size();
      if (sgd.steps_done() == kSteps / 2) nodes.start(1);  // starting it again ends the existing process
    }
    CHECK(repairs == 1);
    CHECK(sgd.weights() == one_process(algorithm, kSteps));
  }
}

TEST_CASE("runs of local SGD and L-BFGS let nodes leave and join by a checkpoint, and repeat no step") {
  Nodes nodes(3);
  for (const char* algorithm : {"local", "lbfgs"}) {
    CAPTURE(algorithm);
    const TemporaryFolder folder;
    Options options = trained_by(nodes.options(), algorithm);
    options.checkpoint.folder = folder / "run";
    options.cluster.min_nodes = 2;
    options.num_workers = {2, 3};
    options.timeouts.start = kPatience;
    DistributedSGD sgd("linear", options);
    sgd.step();
    ::kill(nodes[1].pid(), SIGTERM);
    StepReport report;
    CHECK(comes_true([&] { return !(report = sgd.step()).nodes.left.empty(); }, kPatience));
    CHECK(report.repairs.empty());
    CHECK(nodes[1].wait() == 0);
    nodes.start(1);
    CHECK(comes_true([&] { return !(report = sgd.step()).nodes.joined.empty(); }, kPatience));
    CHECK(report.repairs.empty());
    CHECK(sgd.weights() == one_process(algorithm, static_cast<int>(sgd.steps_done())));
  }
}
