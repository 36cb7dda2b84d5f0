#include <doctest/doctest.h>

#include "actors/driver/algorithm_change.hpp"
#include "actors/driver/checkpoints/state_files.hpp"
#include "actors/schedules/cluster_world.hpp"
#include "actors/schedules/schedule.hpp"
#include "actors/schedules/world.hpp"
#include "support/errors.hpp"
#include "support/optimizers.hpp"
#include "support/temporary_folder.hpp"

// The parts of a driver, each without the parts below it, in a run of simulated members and without actors.
using namespace troupe;
using namespace troupe_test;

namespace {

constexpr int kToyShards = 6;
constexpr std::size_t kToySize = 40;

Toy momentum_toy() {
  OptimizerSettings settings;
  settings.momentum = 0.9;
  return {kToySize, kToyShards, settings};
}

Options on_one_machine(const Toy& toy) {
  Options options;
  options.num_workers = 2;
  options.num_shards = toy.shards;
  options.verbose = false;
  set_optimizer(options, toy.options);
  return options;
}

Options on_nodes(const Toy& toy) {
  Options options = on_one_machine(toy);
  options.placement = Placement::cluster;
  options.cluster.listen = "127.0.0.1:1";  // the simulated host does not listen
  options.cluster.num_nodes = 3;
  options.cluster.min_nodes = 2;
  options.num_workers = {2, 3};
  options.fault_tolerance.max_failures = 3;
  return options;
}

/// A run in a world of simulated members.
template <class AnyWorld>
struct SimulatedRun {
  template <class... Settings>
  explicit SimulatedRun(Options options, Settings... settings)
      : world(1, toy, settings..., nullptr),
        run(ModelCreator("noise"), std::move(options),
            [this](const Hosting& hosting, int workers) { return world.make_runtime(hosting, workers); }) {
    world.begin_call("test", std::chrono::hours(1));
  }

  void step() {
    const Path path{0, 0, run.steps_done()};
    run.settle(Needs::step);
    check_step(run.take_step(/*rehearse=*/false), undisturbed, path);
  }

  Toy toy = momentum_toy();
  Undisturbed undisturbed{toy};
  AnyWorld world;
  Run run;
};

struct OneMachine : SimulatedRun<World> {
  explicit OneMachine(Options options = on_one_machine(momentum_toy()))
      : SimulatedRun(std::move(options), World::Manners()) {
    nodes.form(members.initial_workers());
    run.settle(Needs::members);
    run.lineage.begin("");
  }

  Copies copies{run};
  NodeRecovery nodes{run, copies, [] {}};
  RunMembers members{run, nodes};
  StateAccess state{run, members, nodes};
  StateFiles files{run, members, nodes, state};
};

struct Cluster : SimulatedRun<ClusterWorld> {
  explicit Cluster(Options options = on_nodes(momentum_toy())) : SimulatedRun(std::move(options), 3) {
    nodes.form(run.options.num_workers.max);
    run.settle(Needs::members);
    nodes.note_nodes();
    run.lineage.begin("");
  }

  int abandoned = 0;  ///< how often the checkpoint that is being written was dropped
  Copies copies{run};
  NodeRecovery nodes{run, copies, [this] { ++abandoned; }};
};

Floats weights_of(StateAccess& state) {
  Floats weights;
  state.read_weights([&](std::span<const float> floats) { weights.assign(floats.begin(), floats.end()); });
  return weights;
}

Error loss_of(int worker) { return {ErrorCode::worker_lost, "it was lost", {.worker = worker, .phase = "test"}}; }

}  // namespace

TEST_CASE("a run makes the steps of the undisturbed run, and a rehearsal is not committed") {
  OneMachine scene;
  scene.step();
  scene.run.settle(Needs::step);
  const StepReport rehearsal = scene.run.take_step(/*rehearse=*/true);
  CHECK(rehearsal.step == 2);
  CHECK(rehearsal.algorithm == "synchronous");
  CHECK(rehearsal.state_bytes > 0);
  CHECK(scene.run.steps_done() == 1);
  scene.step();
  CHECK(scene.run.steps_done() == 2);
}

TEST_CASE("at its end, a run has no members, and a given-up run forgets its state") {
  OneMachine scene;
  scene.step();
  CHECK(scene.run.worker_pids().size() == 2);
  scene.run.give_up();
  CHECK(scene.run.worker_pids().empty());
  CHECK_FALSE(scene.run.versions.any());
  CHECK(scene.run.num_workers() == 2);
}

TEST_CASE("a call that a loss interrupts is made again, and its repair is reported once") {
  Options options = on_one_machine(momentum_toy());
  options.fault_tolerance.max_failures = 2;
  OneMachine scene(options);
  int calls = 0;
  const auto fails = [&](int times) {
    calls = 0;
    scene.members.make_ready(Needs::members, [&] {
      if (++calls <= times) throw Error(loss_of(1));
    });
  };
  fails(1);
  CHECK(calls == 2);
  const std::vector<Repair> repairs = scene.members.end_step(/*rehearse=*/false);
  REQUIRE(repairs.size() == 1);
  CHECK(repairs[0].worker == 1);
  CHECK(repairs[0].phase == "test");
  CHECK(scene.members.end_step(/*rehearse=*/false).empty());
  CHECK(code_of([&] { fails(5); }) == ErrorCode::worker_lost);
  CHECK(calls == 2);  // one loss was left in the budget
}

TEST_CASE("a call that fails for another reason is not made again") {
  Options options = on_one_machine(momentum_toy());
  options.fault_tolerance.max_failures = 2;
  OneMachine scene(options);
  int calls = 0;
  const auto work = [&] {
    ++calls;
    throw Error(ErrorCode::bad_data, "no data");
  };
  CHECK(code_of([&] { scene.members.make_ready(Needs::members, work); }) == ErrorCode::bad_data);
  CHECK(calls == 1);
}

TEST_CASE("the number of workers changes between steps, and an impossible number is refused") {
  OneMachine scene;
  scene.step();
  scene.members.resize(3);
  CHECK(scene.run.num_workers() == 3);
  scene.step();
  scene.members.resize(1);
  CHECK(scene.run.num_workers() == 1);
  scene.step();
  CHECK(code_of([&] { scene.members.resize(0); }) == ErrorCode::invalid_argument);
  CHECK(code_of([&] { scene.members.resize(kToyShards + 1); }) == ErrorCode::invalid_argument);
  CHECK(scene.run.num_workers() == 1);
}

TEST_CASE("weights that are set can be read, and a pinned version keeps the earlier ones") {
  OneMachine scene;
  const Floats first = weights_of(scene.state);
  const auto pin = scene.state.pin();
  const Floats second = reversed(toy_weights(kToySize, 1));
  REQUIRE(first != second);
  scene.state.set_weights(second);
  CHECK(weights_of(scene.state) == second);
  CHECK_FALSE(scene.run.lineage.known());  // steps from the beginning do not lead to these weights
  Floats pinned;
  const auto keep = [&](std::span<const float> floats) { pinned.assign(floats.begin(), floats.end()); };
  scene.state.read_pinned(pin, kWeightsVector, keep, "test");
  CHECK(pinned == first);
  scene.state.unpin(pin);
  CHECK(code_of([&] { scene.state.read_pinned(pin, kWeightsVector, keep, "test"); }) == ErrorCode::worker_lost);
  CHECK(code_of([&] { scene.state.set_weights({second.data(), kToySize - 1}); }) == ErrorCode::model_mismatch);
}

TEST_CASE("a saved state is loaded with its number of steps and all vectors, and the run continues from there") {
  const TemporaryFolder folder;
  OneMachine scene;
  scene.step();
  scene.step();
  scene.files.save(folder / "state");
  const std::vector<CheckpointInfo> written = scene.files.take_written();
  REQUIRE(written.size() == 1);
  CHECK(written[0].iteration == 2);
  CHECK(scene.files.take_written().empty());
  scene.step();
  scene.state.set_weights(Floats(kToySize, 1));
  scene.files.load(folder / "state");
  CHECK(scene.run.steps_done() == 2);
  scene.step();  // compares the loss with that of the undisturbed run
  scene.step();  // as before, so the momentum was loaded, too
  CHECK(code_of([&] { scene.files.load(folder / "nothing"); }) == ErrorCode::bad_file);
  CHECK(code_of([&] { scene.files.checkpoint({}); }) == ErrorCode::invalid_argument);  // the run has no folder
}

TEST_CASE("a change of the algorithm can be undone") {
  OneMachine scene;
  scene.step();
  const Version version = scene.run.versions.committed();
  CHECK(version.updates == 1);
  scene.run.options.algorithm = Lbfgs();
  AlgorithmChange change(scene.run, make_runner(scene.run.options));
  CHECK(scene.run.algorithm.passes());
  CHECK(scene.run.versions.committed() == Version{1, 0});  // only the weights are kept
  scene.run.options.algorithm = Synchronous();
  CHECK(change.undo() != nullptr);
  CHECK_FALSE(scene.run.algorithm.passes());
  CHECK(scene.run.versions.committed() == version);
  scene.step();  // with the momentum of before
}

TEST_CASE("the algorithm after a warm start begins once, after the steps of the warm start") {
  Options options = on_one_machine(momentum_toy());
  options.algorithm = Downpour{.warm_start = 2};
  OneMachine scene(options);
  for (int step = 0; step < 2; ++step) {
    CHECK_FALSE(end_warm_start(scene.run));
    scene.step();
  }
  CHECK(std::string(scene.run.algorithm.name()) == "synchronous");
  CHECK(end_warm_start(scene.run));
  CHECK(std::string(scene.run.algorithm.name()) == "downpour");
  CHECK_FALSE(end_warm_start(scene.run));
}

TEST_CASE("a copy can be restored until the state is edited or the copy is given up") {
  Cluster scene;
  scene.step();
  CHECK(scene.copies.are_made());
  CHECK_FALSE(scene.copies.exist());
  CHECK(scene.copies.make_now());
  CHECK(scene.copies.exist());
  CHECK_FALSE(scene.copies.are_wanted());  // no node is lost
  scene.run.lineage.edit();
  CHECK_FALSE(scene.copies.exist());
  CHECK_FALSE(scene.copies.ever_existed());
  CHECK(scene.copies.make_now());
  scene.copies.give_up();
  CHECK_FALSE(scene.copies.exist());
  CHECK(scene.copies.ever_existed());
  CHECK_FALSE(OneMachine().copies.are_made());
}

TEST_CASE("a run that has lost a node is formed again from the copy, and repeats the steps since then") {
  Cluster scene;
  scene.step();
  CHECK(scene.copies.make_now());
  scene.step();
  scene.step();
  scene.world.kill(1);
  const auto lost = code_of([&] { scene.step(); });
  CHECK(lost == ErrorCode::worker_lost);
  REQUIRE(scene.nodes.can_form_again());
  scene.nodes.expect_survivors(loss_of(1));
  CHECK(scene.run.lost_at == 3);
  CHECK(scene.copies.are_wanted());
  Repair repair;
  scene.nodes.form_again(&repair);
  CHECK(repair.replayed == 2);
  CHECK(scene.abandoned == 1);
  CHECK_FALSE(scene.run.lost_at);
  CHECK(scene.run.steps_done() == 3);
  CHECK(scene.nodes.kept_weights().empty());
  scene.step();
}

TEST_CASE("a run without a copy begins again, unless its state was edited") {
  Cluster scene;
  scene.step();
  CHECK(scene.nodes.can_form_again());
  scene.nodes.expect_survivors(loss_of(0));
  Repair repair;
  scene.nodes.form_again(&repair);
  CHECK(repair.replayed == 1);
  scene.step();
  scene.run.lineage.edit();
  scene.copies.give_up();
  CHECK_FALSE(scene.nodes.can_form_again());
  CHECK_FALSE(OneMachine().nodes.can_form_again());  // it replaces workers
}
