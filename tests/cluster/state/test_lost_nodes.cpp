#include <doctest/doctest.h>
#include <signal.h>

#include <filesystem>
#include <future>
#include <optional>

#include "actors/state/state_trial.hpp"
#include "cluster/nodes.hpp"
#include "cluster/state/pair.hpp"
#include "cluster/training.hpp"
#include "models/files/checkpoint/series.hpp"
#include "support/errors.hpp"
#include "support/optimizers.hpp"
#include "support/patience.hpp"

using namespace troupe;
using namespace troupe_test;
using namespace std::chrono_literals;
using troupe::testing::TemporaryFolder;

namespace {

/// A timeout for running nodes. A node that has not found a driver for a while retries every three seconds.
constexpr auto kLate = kSanitized ? 30s : 5s;

/// Returns the options of `trial`, with checkpoints.
Options with_checkpoints(const Nodes& nodes, const std::string& folder, const std::string& optimizer = "adam") {
  Options options = trial(nodes, optimizer);
  options.checkpoint.folder = folder;
  if (!folder.empty()) options.checkpoint.every_steps = 2;
  return options;
}

std::size_t saved_in(const std::string& folder) { return CheckpointSeries(folder).list().size(); }

}  // namespace

TEST_CASE("a run that loses a node continues from its newest checkpoint or its beginning, bitwise identical") {
  Nodes nodes(3);
  const TemporaryFolder folder;
  const std::string series = folder / "run";
  Pair run(with_checkpoints(nodes, series));
  run.step();
  run.step();  // one of three vectors of the pending checkpoint has been read
  run.kill(1);
  run.check_weights();  // from a remaining node
  StepReport report = run.step();
  REQUIRE(report.repairs.size() == 1);
  CHECK(report.repairs[0].node == "node1");
  CHECK(report.repairs[0].replayed == 2);
  CHECK(report.repairs[0].seconds > 0);
  CHECK(saved_in(series) == 0);
  CHECK(run.sgd.steps_done() == 3);
  report = steps_to(run, [](const StepReport& each) { return each.checkpoint.step >= 0; });
  CHECK(report.repairs.empty());
  const std::int64_t since = report.step - report.checkpoint.step;
  CHECK(since < report.step);
  run.kill(0);
  report = run.step();
  REQUIRE(report.repairs.size() == 1);
  CHECK(report.repairs[0].replayed == since);
  run.kill(2);
  run.sgd.save_state(folder / "state");  // the remaining nodes alone cannot do so
  run.check_weights();
  CHECK(run.step().repairs.size() == 1);
  run.check_weights();
  Pair resumed(undisturbed());
  for (std::int64_t step = 1; step < run.sgd.steps_done(); ++step) resumed.step();
  resumed.sgd.load_state(folder / "state");
  resumed.check_weights();
}

TEST_CASE("repeated steps use the learning rates that were set when the steps ran first") {
  Nodes nodes(2);
  const TemporaryFolder folder;
  Pair run(with_checkpoints(nodes, folder / "run"));
  run.step();
  run.set_learning_rate(0.05);
  run.step();
  run.kill(1);
  run.set_learning_rate(0.02);
  const StepReport report = run.step();
  CHECK(report.learning_rate == 0.02);
  REQUIRE(report.repairs.size() == 1);
  CHECK(report.repairs[0].replayed == 2);
  run.check_weights();
}

TEST_CASE("a node that joins late replaces a node that was lost permanently") {
  Nodes nodes(3);
  const TemporaryFolder folder;
  Options options = with_checkpoints(nodes, folder / "run");
  options.timeouts.start = kPatience;
  Pair run(options);
  run.step();
  nodes[1].signal(SIGKILL);
  auto next = std::async(std::launch::async, [&] { return run.sgd.step(); });
  const std::string joined = "joined the driver";
  CHECK(
      comes_true([&] { return count(nodes[0].err(), joined) == 2 && count(nodes[2].err(), joined) == 2; }, kPatience));
  nodes.start(1);
  const StepReport report = next.get();
  REQUIRE(report.repairs.size() == 1);
  CHECK(report.repairs[0].replayed == 1);
  run.check_as_twin(report);
  run.step();
  run.check_weights();
}

TEST_CASE("a run continues with min_nodes, is an error in time with fewer nodes, and continues when more join") {
  Nodes nodes(3);
  const TemporaryFolder folder;
  Options options = with_checkpoints(nodes, folder / "run");
  options.gradients.strategy = Strategy::parameter_server;
  options.gradients.slice_owners = 3;
  options.cluster.min_nodes = 2;
  options.timeouts.start = kLate;
  Pair run(options);
  run.step();
  nodes[0].signal(SIGKILL);
  const StepReport report = run.step();
  REQUIRE(report.repairs.size() == 1);
  CHECK(report.repairs[0].node == "node0");
  run.step();
  run.check_weights();

  nodes[1].signal(SIGKILL);
  const Stopwatch watch;
  std::optional<Error> error;
  try {
    run.sgd.step();
  } catch (const Error& caught) {
    error = caught;
  }
  CHECK(watch.seconds() < std::chrono::duration<double>(3 * kLate).count());
  REQUIRE(error);
  CHECK(error->code() == ErrorCode::timeout);
  CHECK(error->where().phase == "start");
  CHECK(contains(error->what(), "1 of at least 2 nodes"));
  CHECK(run.sgd.steps_done() == 3);
  run.check_weights();
  CHECK(run.sgd.worker_pids().empty());
  CHECK(run.sgd.state_bytes() > 0);

  nodes.start(0);
  nodes.start(1);
  run.step();
  run.check_weights();
}

TEST_CASE("a run starts with fewer nodes if the others do not join in time") {
  Nodes nodes(3);
  nodes[2].signal(SIGKILL);
  Options options = with_checkpoints(nodes, "", "sgd");
  options.cluster.min_nodes = 2;
  options.timeouts.start = kLate;
  Pair run(options);
  run.step();
  run.check_weights();
}

TEST_CASE("without checkpoints a lost node ends the run, and the remaining nodes can still save the weights") {
  Nodes nodes(3);
  const TemporaryFolder folder;
  for (const char* optimizer : {"adam", "sgd"}) {
    CAPTURE(optimizer);
    Options options = with_checkpoints(nodes, "", optimizer);
    edit(options)->momentum = 0;
    DistributedSGD sgd(kStatistics.name, options);
    Options same = undisturbed(optimizer);
    edit(same)->momentum = 0;
    DistributedSGD twin(kStatistics.name, same);
    sgd.step();
    twin.step();
    ::kill(sgd.worker_pids()[0], SIGKILL);
    CHECK(code_of([&] { sgd.step(); }) == ErrorCode::worker_lost);
    CHECK(code_of([&] { sgd.step(); }) == ErrorCode::worker_lost);
    CHECK(bits_of(sgd.weights()) == bits_of(twin.weights()));
    sgd.save(folder / "weights");
    CHECK(bits_of(sgd.weights()) == bits_of(twin.weights()));
    const bool has_state = std::string(optimizer) == "adam";
    const std::string state = folder / "state";
    const std::string said = message_of([&] { sgd.save_state(state); });
    CHECK(contains(said, "its part of the optimizer's state") == has_state);
    CHECK(std::filesystem::exists(state) != has_state);
    DistributedSGD other(kStatistics.name, same);
    if (has_state)
      other.load(folder / "weights");
    else
      other.load_state(state);
    CHECK(bits_of(other.weights()) == bits_of(twin.weights()));
  }
}

TEST_CASE("a run does not return to a checkpoint older than set_weights") {
  Nodes nodes(2);
  const TemporaryFolder folder;
  Options options = with_checkpoints(nodes, folder / "run");
  options.checkpoint.every_steps = 0;
  DistributedSGD sgd(kStatistics.name, options);
  DistributedSGD twin(kStatistics.name, undisturbed());
  sgd.step();
  sgd.checkpoint();
  twin.step();
  std::vector<float> weights = twin.weights();
  weights[0] += 1;
  sgd.set_weights(weights);
  twin.set_weights(weights);
  SUBCASE("with a newer checkpoint the run continues") {
    sgd.checkpoint();
    ::kill(sgd.worker_pids()[1], SIGKILL);
    const StepReport report = sgd.step();
    REQUIRE(report.repairs.size() == 1);
    CHECK(report.repairs[0].replayed == 0);
    CHECK(report.loss == twin.step().loss);
  }
  SUBCASE("without a newer checkpoint the run ends") {
    ::kill(sgd.worker_pids()[1], SIGKILL);
    CHECK(code_of([&] { sgd.step(); }) == ErrorCode::worker_lost);
  }
  CHECK(bits_of(sgd.weights()) == bits_of(twin.weights()));
}

TEST_CASE("a damaged checkpoint is renamed, the previous one is restored, and pins of the lost state are errors") {
  Nodes nodes(2);
  const TemporaryFolder folder;
  Options options = with_checkpoints(nodes, folder / "run");
  options.checkpoint.every_steps = 0;
  Driver driver(kStatistics.name, options);
  Driver twin(kStatistics.name, undisturbed());
  for (int step = 0; step < 2; ++step) {
    driver.step();
    twin.step();
    driver.files().checkpoint({});
  }
  std::filesystem::remove(CheckpointSeries(folder / "run").path_of(2) + "/state.safetensors");
  const auto pin = driver.state().pin();
  const auto none = [](std::span<const float>) {};
  driver.state().read_pinned(pin, 1, none, "test");
  ::kill(driver.run().worker_pids()[0], SIGKILL);
  const StepReport report = driver.step();
  REQUIRE(report.repairs.size() == 1);
  CHECK(report.repairs[0].replayed == 1);
  CHECK(std::filesystem::exists(folder / "run/damaged-step-00000002"));
  CHECK(report.loss == twin.step().loss);
  CHECK(code_of([&] { driver.state().read_pinned(pin, 1, none, "test"); }) == ErrorCode::worker_lost);
  driver.state().unpin(pin);
  CHECK(driver.step().loss == twin.step().loss);
}

TEST_CASE("the loss of more nodes than max_failures ends the run, and the next call continues it") {
  Nodes nodes(2);
  const TemporaryFolder folder;
  Options options = with_checkpoints(nodes, folder / "run");
  options.fault_tolerance.max_failures = 1;
  Pair run(options);
  run.step();
  run.kill(1);
  run.step();
  run.kill(0);
  CHECK(contains(message_of([&] { run.sgd.step(); }), "max_failures"));
  run.check_weights();
  run.step();
  run.check_weights();
}
