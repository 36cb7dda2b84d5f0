#include <doctest/doctest.h>
#include <signal.h>

#include <array>

#include "actors/algorithms/known_algorithms.hpp"
#include "cluster/hold_model.hpp"
#include "cluster/nodes.hpp"
#include "support/algorithms.hpp"
#include "support/errors.hpp"
#include "support/optimizers.hpp"
#include "support/patience.hpp"

// Asynchronous replicas on nodes, and parameter servers on nodes.
using namespace troupe;
using namespace troupe_test;
using troupe::testing::TemporaryFolder;

namespace {

Options on_own_clocks(const Nodes& nodes, const std::string& algorithm) {
  Options options = nodes.options();
  options.algorithm = algorithm_by_name(algorithm);
  if (auto* const ssp = std::get_if<Ssp>(&options.algorithm)) ssp->staleness = 2;
  edit(options)->kind = "adagrad";
  options.num_shards = 5;
  return options;
}

Options linear(const Nodes& nodes, const std::string& algorithm) {
  Options options = on_own_clocks(nodes, algorithm);
  options.config = R"({"data": "synthetic-linear", "batch_size": 50})";
  options.optimizer = Sgd{.learning_rate = 0.02};
  return options;
}

void check_at_optimum(const std::vector<float>& weights) {
  REQUIRE(weights.size() == 4);
  for (std::size_t i = 0; i < 4; ++i) CHECK(weights[i] == doctest::Approx(std::array{5, 3, 2, 1}[i]).epsilon(1e-3));
}

}  // namespace

TEST_CASE("one process replays an asynchronous run of nodes, bitwise identical") {
  Nodes nodes(3);
  for (const char* algorithm : {"downpour", "ssp"})
    for (const int servers : {0, 2}) {
      CAPTURE(algorithm);
      CAPTURE(servers);
      const TemporaryFolder folder;
      Options options = on_own_clocks(nodes, algorithm);
      if (auto* const downpour = std::get_if<Downpour>(&options.algorithm))
        *downpour = {.fetch_every = 3, .push_every = 2, .servers = servers};
      else
        std::get<Ssp>(options.algorithm).servers = servers;
      record_of(options) = folder / "record";
      const auto run = [](const Options& of) {
        std::vector<std::vector<std::uint32_t>> weights;
        DistributedSGD sgd("hold", of);
        sgd.warmup();
        for (int step = 1; step <= 12; ++step) {
          sgd.step();
          if (step % 6 == 0) weights.push_back(bits_of(sgd.weights()));
        }
        return weights;
      };
      const auto recorded = run(options);
      Options here = options;
      here.placement = Placement::in_process;
      here.cluster = {};
      record_of(here).clear();
      replay_of(here) = folder / "record";
      CHECK(run(here) == recorded);
    }
}

TEST_CASE("asynchronous replicas on nodes reach the optimum of a convex problem") {
  Nodes nodes(3);
  for (const char* algorithm : {"downpour", "ssp"}) {
    CAPTURE(algorithm);
    DistributedSGD sgd("linear", linear(nodes, algorithm));
    for (int step = 0; step < 1500; ++step) sgd.step();
    check_at_optimum(sgd.weights());
    CHECK(sgd.report().algorithm == algorithm);
  }
}

TEST_CASE("a change of the algorithm keeps weights and state on nodes, and a checkpoint contains them") {
  Nodes nodes(2);
  const TemporaryFolder folder;
  Options options = on_own_clocks(nodes, "synchronous");
  edit(options)->kind = "adam";
  DistributedSGD sgd("hold", options);
  for (int step = 0; step < 3; ++step) sgd.step();
  sgd.use(Downpour());
  for (int step = 0; step < 5; ++step) sgd.step();
  const auto weights = bits_of(sgd.weights());
  const Evaluation evaluation = sgd.evaluate();
  sgd.save_state(folder / "state");
  sgd.use(Synchronous());
  CHECK(bits_of(sgd.weights()) == weights);
  CHECK(sgd.evaluate().loss == evaluation.loss);
  sgd.step();
  const auto next = bits_of(sgd.weights());
  CHECK(next != weights);

  Options here;
  here.verbose = false;
  here.num_workers = 1;
  here.num_shards = options.num_shards;
  here.optimizer = options.optimizer;
  here.config = options.config;
  DistributedSGD again("hold", here);
  again.load_state(folder / "state");
  CHECK(bits_of(again.weights()) == weights);
  again.step();
  CHECK(bits_of(again.weights()) == next);
}

TEST_CASE("a killed node that owns a slice is named, and weights cannot be read") {
  Nodes nodes(3);
  DistributedSGD sgd("hold", on_own_clocks(nodes, "downpour"));
  for (int step = 0; step < 3; ++step) sgd.step();
  nodes[1].signal(SIGKILL);
  const auto go_on = [&] {
    for (int step = 0; step < 100; ++step) sgd.step();
  };
  CHECK(code_of(go_on) == ErrorCode::worker_lost);
  CHECK(code_of([&] { sgd.weights(); }) == ErrorCode::worker_lost);
}

TEST_CASE("an asynchronous run that loses a node continues from its checkpoint") {
  Nodes nodes(3);
  const TemporaryFolder folder;
  Options options = linear(nodes, "downpour");
  options.checkpoint.folder = folder.path().string();
  options.checkpoint.every_steps = 20;
  options.fault_tolerance.max_failures = 3;
  DistributedSGD sgd("linear", options);
  for (int step = 0; step < 115; ++step) sgd.step();
  nodes.start(2);
  std::vector<std::int64_t> replayed;
  for (int step = 115; step < 1500; ++step)
    for (const Repair& repair : sgd.step().repairs) replayed.push_back(repair.replayed);
  REQUIRE(replayed.size() == 1);
  CHECK(replayed[0] >= 15);
  CHECK(sgd.steps_done() == 1500);
  check_at_optimum(sgd.weights());
}

TEST_CASE("an asynchronous run that loses a parameter server continues from a copy, and counts the lost pushes") {
  for (const char* algorithm : {"downpour", "ssp"}) {
    CAPTURE(algorithm);
    Nodes nodes(3);
    Options options = on_own_clocks(nodes, algorithm);  // adagrad has state, and each node is a server
    options.config = R"({"data": "fashion-mnist", "batch_size": 16})";
    edit(options)->learning_rate = 0.01;
    options.fault_tolerance.copy_every = 50;
    DistributedSGD sgd("mlp", options);
    const double loss = sgd.evaluate().loss;
    double seconds = 0;
    std::int64_t pushes = 0;  // since the newest copy
    std::int64_t lost = 0;
    std::int64_t expected = 0;
    std::size_t repairs = 0;
    for (int step = 0; step < 400; ++step) {
      if (step == 240) nodes.start(1);  // kills a parameter server with its memory, and starts another one
      const StepReport report = sgd.step();
      for (const Repair& repair : report.repairs) {
        CHECK(repair.replayed == 0);
        seconds = repair.seconds;
      }
      repairs += report.repairs.size();
      if (!report.repairs.empty()) expected = pushes;
      lost += report.asynchronous.lost_pushes;
      for (const WorkerTraffic& worker : report.asynchronous.workers) pushes += worker.pushes;
      if (report.copies.step == report.step) pushes = 0;
    }
    CHECK(repairs == 1);
    // A report lacks the last push of each worker before a copy, and the pushes of the step in which the node was lost.
    CHECK(lost > 0);
    CHECK(lost >= expected - 3);
    CHECK(lost <= expected + 5 + 3);
    CHECK(sgd.steps_done() == 400);
    CHECK(sgd.evaluate().loss < loss / 2);
    MESSAGE(std::string(algorithm) << " continued " << seconds
                                   << " s after the loss of a server; lost pushes: " << lost);
  }
}

TEST_CASE("an asynchronous run whose copies are lost continues from its checkpoint, and then makes copies again") {
  Nodes nodes(3);
  const TemporaryFolder folder;
  Options options = on_own_clocks(nodes, "ssp");
  options.config = R"({"data": "fashion-mnist", "batch_size": 16})";
  options.checkpoint.folder = folder.path().string();
  options.checkpoint.every_steps = 20;
  options.fault_tolerance.copy_every = 15;
  options.fault_tolerance.max_failures = 5;
  options.timeouts.start = kPatience;
  DistributedSGD sgd("mlp", options);
  StepReport report;
  while (report.copies.step < 0 || report.checkpoint.step < 0) report = sgd.step();
  const std::int64_t done = sgd.steps_done();
  nodes.start(0);
  nodes.start(1);
  report = sgd.step();
  CHECK_FALSE(report.repairs.empty());
  for (int step = 0; step < 60; ++step) report = sgd.step();
  CHECK(report.copies.step > done);
  CHECK(report.copies.error.empty());
}

TEST_CASE("a node stopped for longer than the deadline of a push is an error, and later steps succeed") {
  Nodes nodes(3);
  Options options = on_own_clocks(nodes, "downpour");
  options.fault_tolerance.cut_after = std::chrono::milliseconds(0);
  options.fault_tolerance.suspect_after = std::chrono::milliseconds(0);
  options.timeouts.step = std::chrono::seconds(troupe_test::kSanitized ? 10 : 2);
  DistributedSGD sgd("hold", options);
  for (int step = 0; step < 3; ++step) sgd.step();
  nodes[1].signal(SIGSTOP);
  const auto code = code_of([&] {
    for (int step = 0; step < 1000; ++step) sgd.step();
  });
  nodes[1].signal(SIGCONT);
  CHECK((code == ErrorCode::timeout || code == ErrorCode::worker_lost));
  // Other nodes may still wait for data from the stopped node, each until its own deadline.
  int errors = 0;
  for (int steps = 0; steps < 5 && errors < 10;) try {
      sgd.step();
      ++steps;
    } catch (const Error& error) {
      INFO(error.what());
      CHECK((error.code() == ErrorCode::timeout || error.code() == ErrorCode::worker_lost));
      ++errors;
    }
  CHECK(errors < 10);
  CHECK(sgd.evaluate().samples > 0);
}
