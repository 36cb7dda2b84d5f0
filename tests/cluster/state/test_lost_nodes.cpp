#include <doctest/doctest.h>
#include <signal.h>

#include <filesystem>
#include <future>
#include <optional>
#include <thread>

#include "actors/state/state_trial.hpp"
#include "cluster/nodes.hpp"
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

/// For nodes that are there: those that found no driver for a while look again every three seconds.
constexpr auto kLate = kSanitized ? 30s : 5s;

/// Of all nodes, a worker each, with all that an optimizer keeps.
Options trial(const Nodes& nodes, const std::string& folder, const std::string& optimizer = "adam") {
  Options options = nodes.options();
  make_trial(options, kStatistics, optimizer);
  edit(options)->schedule.total_steps = 100;
  options.checkpoint.folder = folder;
  if (!folder.empty()) options.checkpoint.every_steps = 2;
  return options;
}

/// The same in this process, undisturbed.
Options undisturbed(const std::string& optimizer = "adam") {
  Options options;
  make_trial(options, kStatistics, optimizer);
  edit(options)->schedule.total_steps = 100;
  return options;
}

/// A run, and one of the same bits that nothing disturbs.
class Pair {
 public:
  explicit Pair(const Options& options)
      : sgd(kStatistics.name, options), twin_(kStatistics.name, undisturbed(settings_of(options).kind)) {}

  /// A step of both.
  StepReport step() {
    StepReport report = sgd.step();
    check_as_twin(report);
    return report;
  }
  /// Of both, by hand.
  void set_learning_rate(double rate) {
    sgd.set_learning_rate(rate);
    twin_.set_learning_rate(rate);
  }
  void check_as_twin(const StepReport& report) {
    const StepReport expected = twin_.step();
    CHECK(report.step == expected.step);
    CHECK(report.loss == expected.loss);
  }
  void check_weights() { CHECK(bits_of(sgd.weights()) == bits_of(twin_.weights())); }
  /// The node of a worker, whose supervisor starts another.
  void kill(int worker) const { ::kill(sgd.worker_pids().at(static_cast<std::size_t>(worker)), SIGKILL); }

  DistributedSGD sgd;

 private:
  DistributedSGD twin_;
};

std::size_t saved_in(const std::string& folder) { return CheckpointSeries(folder).list().size(); }

}  // namespace

TEST_CASE("a run that loses a node goes on from its newest checkpoint, or from its beginning, to the same bits") {
  Nodes nodes(3);
  const TemporaryFolder folder;
  const std::string series = folder / "run";
  Pair run(trial(nodes, series));
  run.step();
  run.step();  // of the checkpoint that is due one vector of three has been fetched
  run.kill(1);
  run.check_weights();  // by a node that is left
  StepReport report = run.step();
  REQUIRE(report.repairs.size() == 1);
  CHECK(report.repairs[0].node == "node1");
  CHECK(report.repairs[0].replayed == 2);
  CHECK(report.repairs[0].seconds > 0);
  CHECK(saved_in(series) == 0);
  CHECK(run.sgd.steps_done() == 3);
  while (report.checkpoint.step < 0 && report.step < 2000) {
    report = run.step();
    std::this_thread::sleep_for(std::chrono::milliseconds(5));  // for the disk
  }
  CHECK(report.repairs.empty());
  const std::int64_t since = report.step - report.checkpoint.step;
  CHECK(since < report.step);
  run.kill(0);
  report = run.step();
  REQUIRE(report.repairs.size() == 1);
  CHECK(report.repairs[0].replayed == since);
  run.kill(2);
  run.sgd.save_state(folder / "state");  // which no node can that is left
  run.check_weights();
  CHECK(run.step().repairs.size() == 1);
  run.check_weights();
  Pair resumed(undisturbed());
  for (std::int64_t step = 1; step < run.sgd.steps_done(); ++step) resumed.step();
  resumed.sgd.load_state(folder / "state");
  resumed.check_weights();
}

TEST_CASE("steps that are done again have the rates that were set when they were done first") {
  Nodes nodes(2);
  const TemporaryFolder folder;
  Pair run(trial(nodes, folder / "run"));
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

TEST_CASE("a node that comes late takes the place of one that was lost for good") {
  Nodes nodes(3);
  const TemporaryFolder folder;
  Options options = trial(nodes, folder / "run");
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

TEST_CASE("a run goes on with as many nodes as it needs at least; with fewer it says so in time, and waits for more") {
  Nodes nodes(3);
  const TemporaryFolder folder;
  Options options = trial(nodes, folder / "run");
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

TEST_CASE("a run begins with fewer nodes when the others do not come in time") {
  Nodes nodes(3);
  nodes[2].signal(SIGKILL);
  Options options = trial(nodes, "", "sgd");
  options.cluster.min_nodes = 2;
  options.timeouts.start = kLate;
  Pair run(options);
  run.step();
  run.check_weights();
}

TEST_CASE("without checkpoints a lost node ends the run, but for what the others have") {
  Nodes nodes(3);
  const TemporaryFolder folder;
  for (const char* optimizer : {"adam", "sgd"}) {
    CAPTURE(optimizer);
    Options options = trial(nodes, "", optimizer);
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

TEST_CASE("a run goes back to no checkpoint of before its weights were set, and to one of after that") {
  Nodes nodes(2);
  const TemporaryFolder folder;
  Options options = trial(nodes, folder / "run");
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
  SUBCASE("with a checkpoint") {
    sgd.checkpoint();
    ::kill(sgd.worker_pids()[1], SIGKILL);
    const StepReport report = sgd.step();
    REQUIRE(report.repairs.size() == 1);
    CHECK(report.repairs[0].replayed == 0);
    CHECK(report.loss == twin.step().loss);
  }
  SUBCASE("without") {
    ::kill(sgd.worker_pids()[1], SIGKILL);
    CHECK(code_of([&] { sgd.step(); }) == ErrorCode::worker_lost);
  }
  CHECK(bits_of(sgd.weights()) == bits_of(twin.weights()));
}

TEST_CASE("a damaged checkpoint is told, and the one before it is gone back to; pins go with the run that is lost") {
  Nodes nodes(2);
  const TemporaryFolder folder;
  Options options = trial(nodes, folder / "run");
  options.checkpoint.every_steps = 0;
  Driver driver(kStatistics.name, options);
  Driver twin(kStatistics.name, undisturbed());
  for (int step = 0; step < 2; ++step) {
    driver.step();
    twin.step();
    driver.checkpoint({});
  }
  std::filesystem::remove(CheckpointSeries(folder / "run").path_of(2) + "/state.safetensors");
  const auto pin = driver.pin();
  const auto none = [](std::span<const float>) {};
  driver.read_pinned(pin, 1, none, "test");
  ::kill(driver.worker_pids()[0], SIGKILL);
  const StepReport report = driver.step();
  REQUIRE(report.repairs.size() == 1);
  CHECK(report.repairs[0].replayed == 1);
  CHECK(std::filesystem::exists(folder / "run/damaged-step-00000002"));
  CHECK(report.loss == twin.step().loss);
  CHECK(code_of([&] { driver.read_pinned(pin, 1, none, "test"); }) == ErrorCode::worker_lost);
  driver.unpin(pin);
  CHECK(driver.step().loss == twin.step().loss);
}

TEST_CASE("nodes that are lost too often end the run, until it is asked again") {
  Nodes nodes(2);
  const TemporaryFolder folder;
  Options options = trial(nodes, folder / "run");
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
