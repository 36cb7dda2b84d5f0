#include <doctest/doctest.h>

#include "actors/driver/algorithm_change.hpp"
#include "actors/driver/checkpoints/state_files.hpp"
#include "actors/schedules/cluster_world.hpp"
#include "actors/schedules/schedule.hpp"
#include "actors/schedules/world.hpp"
#include "support/errors.hpp"
#include "support/optimizers.hpp"
#include "support/temporary_folder.hpp"

// The parts of a driver, in runs of simulated members: without actors, processes and sockets.
using namespace troupe;
using namespace troupe_test;

namespace {

constexpr int kToyShards = 6;
constexpr std::size_t kToySize = 2500;  // three pages, so that each of three nodes owns a slice

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

  /// Makes a step, and compares its report and all vectors with those of the undisturbed run.
  void step() {
    const Path path{0, 0, run.steps_done()};
    run.settle(Needs::step);
    check_step(run.take_step(/*rehearse=*/false), undisturbed, path);
    check_state();
  }
  void check_state() {
    run.settle(Needs::members);
    const std::vector<Floats>& expected = undisturbed.at({0, 0, run.steps_done()}).vectors;
    for (std::size_t vector = 0; vector < expected.size(); ++vector) {
      const VectorPart all{static_cast<int>(vector), 0, kToySize};
      const HeldFloats floats = run.formed->transfers().fetch(all, run.versions.buffer(), run.saving("test"));
      CHECK(same_bits(reversed(floats.floats), expected[vector]));
    }
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
  NodeRecovery nodes{run, copies};
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

  Copies copies{run};
  NodeRecovery nodes{run, copies};
  RunMembers members{run, nodes};
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
  scene.members.resize(1);
  CHECK(scene.run.worker_pids().size() == 1);
  scene.run.give_up();
  CHECK(scene.run.worker_pids().empty());
  CHECK_FALSE(scene.run.versions.any());
  CHECK(scene.run.num_workers() == 2);  // that of the options
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
  CHECK(scene.members.end_step(/*rehearse=*/true).empty());
  const std::vector<Repair> repairs = scene.members.end_step(/*rehearse=*/false);
  REQUIRE(repairs.size() == 1);
  CHECK(repairs[0].worker == 1);
  CHECK(repairs[0].phase == "test");
  CHECK(scene.members.end_step(/*rehearse=*/false).empty());
  CHECK(code_of([&] { fails(5); }) == ErrorCode::worker_lost);
  CHECK(calls == 2);  // one loss was left in the budget
}

TEST_CASE("workers that die in a step are replaced, and the step is made again") {
  Options options = on_one_machine(momentum_toy());
  options.fault_tolerance.max_failures = 9;
  OneMachine scene(options);
  scene.step();
  int calls = 0;
  scene.world.begin_call("step", std::chrono::hours(1));
  scene.members.make_ready(Needs::step, [&] {
    if (++calls == 1) scene.world.dangers.die = 1000;
    try {
      check_step(scene.run.take_step(/*rehearse=*/false), scene.undisturbed, {0, 0, 1});
    } catch (const Error&) {
      scene.world.dangers = {};
      throw;
    }
  });
  CHECK(calls > 1);
  const std::vector<Repair> repairs = scene.members.end_step(/*rehearse=*/false);
  REQUIRE_FALSE(repairs.empty());
  CHECK(repairs[0].seconds > 0);
  scene.check_state();
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

TEST_CASE("workers that cannot be added leave the number of workers as it was") {
  OneMachine scene;
  scene.step();
  scene.world.dangers.stillborn = 1000;
  CHECK(code_of([&] { scene.members.resize(4); }) == ErrorCode::worker_lost);
  scene.world.dangers = {};
  CHECK(scene.run.num_workers() == 2);
  scene.step();
}

TEST_CASE("weights that are set can be read, and a pinned version keeps the earlier ones") {
  OneMachine scene;
  scene.step();
  scene.step();
  const Floats first = weights_of(scene.state);
  const auto pin = scene.state.pin();
  const Floats second = reversed(toy_weights(kToySize, 1));
  REQUIRE(first != second);
  scene.state.set_weights(second);
  CHECK(weights_of(scene.state) == second);
  CHECK(scene.run.versions.committed() == Version{2, 0});
  for (const Path& path : {Path{1, 2, 0}, Path{1, 2, 1}}) {  // two steps, because the first one uses no momentum
    scene.run.settle(Needs::step);
    check_step(scene.run.take_step(/*rehearse=*/false), scene.undisturbed, path);
  }
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
  scene.check_state();
  CHECK(code_of([&] { scene.files.checkpoint({}); }) == ErrorCode::invalid_argument);  // the run has no folder
}

TEST_CASE("checkpoints in the run's folder are the newest source of its state, until the state is edited") {
  const TemporaryFolder folder;
  Options options = on_one_machine(momentum_toy());
  options.checkpoint.folder = folder / "run";
  OneMachine scene(options);
  scene.step();
  const std::string path = scene.files.checkpoint({});
  CHECK(path.find("step-00000001") != std::string::npos);
  CHECK(scene.run.lineage.newest_step() == 1);
  CHECK(scene.run.lineage.sources() == std::vector<std::string>{path, ""});
  CHECK_FALSE(scene.nodes.can_form_again());  // it replaces workers
  scene.run.set_rates.set(1, 0.5);
  scene.run.settle(Needs::step);
  scene.run.take_step(/*rehearse=*/false);
  scene.files.load(path);
  CHECK(scene.run.steps_done() == 1);
  CHECK_FALSE(scene.run.set_rates.at(1));
  CHECK_FALSE(scene.run.lineage.known());
  scene.step();
}

TEST_CASE("a change of the algorithm first completes the checkpoint that is being written") {
  OneMachine scene;
  int finished = 0;
  scene.run.finish_checkpoint = [&] { finished += std::string(scene.run.algorithm.name()) == "synchronous" ? 1 : 0; };
  AlgorithmChange change(scene.run, make_runner(scene.run.options));
  CHECK(finished == 1);
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
  scene.check_state();  // with the momentum of before
  scene.step();
}

TEST_CASE("the algorithm after a warm start begins once, after the steps of the warm start") {
  Options options = on_one_machine(momentum_toy());
  options.algorithm = Downpour{.warm_start = 2};
  OneMachine scene(options);
  for (int step = 0; step < 2; ++step) {
    end_warm_start(scene.run, scene.copies);
    CHECK(std::string(scene.run.algorithm.name()) == "synchronous");
    scene.step();
  }
  CHECK(scene.run.algorithm.awaited() != nullptr);
  end_warm_start(scene.run, scene.copies);
  CHECK(std::string(scene.run.algorithm.name()) == "downpour");
  CHECK(scene.run.algorithm.awaited() == nullptr);
  CHECK_FALSE(scene.run.formed->generation().stands());  // the next one has slabs of parameter servers
  end_warm_start(scene.run, scene.copies);
  CHECK(std::string(scene.run.algorithm.name()) == "downpour");
}

TEST_CASE("a run that loses a node at the end of its warm start continues with the algorithm after it") {
  Options options = on_nodes(momentum_toy());
  options.algorithm = LocalSgd{.warm_start = 2};
  Cluster scene(options);
  scene.step();
  CHECK(scene.copies.make_now());
  scene.step();
  CHECK(std::string(scene.run.algorithm.name()) == "synchronous");
  scene.nodes.expect_survivors(loss_of(0));
  CHECK(scene.nodes.form_again() == 1);
  CHECK(std::string(scene.run.algorithm.name()) == "local");
  CHECK_FALSE(scene.copies.exist());  // another loss must not repeat steps of the warm start
}

TEST_CASE("a copy can be restored until the state is edited or the copy is given up") {
  Cluster scene;
  scene.step();
  CHECK(scene.copies.are_made());
  CHECK_FALSE(scene.copies.exist());
  CHECK(scene.copies.make_now());
  CHECK(scene.copies.exist());
  CHECK_FALSE(scene.copies.are_wanted());  // no node is lost
  scene.run.lost_at = 1;
  CHECK(scene.copies.are_wanted());
  scene.run.lineage.save("checkpoint", 2);
  CHECK_FALSE(scene.copies.are_wanted());  // the checkpoint is newer
  scene.run.lost_at.reset();
  scene.run.lineage.edit();
  CHECK_FALSE(scene.copies.exist());
  CHECK_FALSE(scene.copies.ever_existed());
  CHECK(scene.copies.make_now());
  scene.copies.give_up();
  CHECK_FALSE(scene.copies.exist());
  CHECK(scene.copies.ever_existed());
  CHECK_FALSE(OneMachine().copies.are_made());
}

TEST_CASE("a copy is due after the steps of its interval, and its report contains the step") {
  Options options = on_nodes(momentum_toy());
  options.fault_tolerance.copy_every = 2;
  Cluster scene(options);
  CopyReport report;
  for (int step = 1; step <= 6 && report.step < 0; ++step) {
    scene.step();
    report = scene.copies.advance(1, 0.01);
  }
  CHECK(report.step > 0);
  CHECK(report.ring.size() == 3);
  CHECK(report.error.empty());
  CHECK(scene.copies.exist());
  scene.world.dangers.full = 1000;
  CHECK_FALSE(scene.copies.make_now(/*again=*/true));
  CHECK_FALSE(scene.copies.report(0).error.empty());
}

TEST_CASE("a run that has lost a node is formed again from the copy, and repeats the steps since then") {
  Cluster scene;
  scene.step();
  CHECK(scene.copies.make_now());
  scene.step();
  scene.step();
  int abandoned = 0;
  scene.run.abandon_checkpoint = [&] { ++abandoned; };
  scene.world.kill(1);
  CHECK(code_of([&] { scene.step(); }) == ErrorCode::worker_lost);
  REQUIRE(scene.nodes.can_form_again());
  scene.nodes.expect_survivors(loss_of(1));
  CHECK(scene.run.lost_at == 3);
  CHECK(scene.nodes.form_again() == 2);
  CHECK(abandoned == 1);
  CHECK_FALSE(scene.run.lost_at);
  CHECK(scene.run.steps_done() == 3);
  scene.check_state();
  CHECK(scene.copies.report(0).step == 3);  // another loss does not repeat the steps again
  scene.step();
}

TEST_CASE("a call that the loss of a node interrupts forms the run again, and its repair has the repeated steps") {
  Cluster scene;
  scene.step();
  scene.step();
  scene.world.kill(1);
  scene.members.make_ready(Needs::step, [&] {
    check_step(scene.run.take_step(/*rehearse=*/false), scene.undisturbed, {0, 0, 2});
  });
  const std::vector<Repair> repairs = scene.members.end_step(/*rehearse=*/false);
  REQUIRE(repairs.size() == 1);
  CHECK(repairs[0].replayed == 2);  // from the beginning, because there was no copy
  CHECK_FALSE(repairs[0].node.empty());
  scene.check_state();
}

TEST_CASE("a run that cannot be formed again keeps its weights until it is formed") {
  Cluster scene;
  scene.step();
  scene.nodes.expect_survivors(loss_of(0));
  scene.run.options.timeouts.start = std::chrono::milliseconds(0);
  CHECK(code_of([&] { scene.nodes.form_again(); }).has_value());
  CHECK(scene.run.formed == nullptr);
  CHECK(same_bits(reversed(scene.nodes.kept_weights()), scene.undisturbed.at({0, 0, 1}).vectors[0]));
  scene.run.options.timeouts.start = std::chrono::seconds(20);
  CHECK(scene.nodes.form_again() == 1);
  CHECK(scene.nodes.kept_weights().empty());
  scene.step();
}

TEST_CASE("a run without a copy begins again, unless its state was edited or it has had a copy") {
  Cluster scene;
  scene.step();
  CHECK(scene.nodes.can_form_again());
  CHECK(scene.copies.make_now());
  scene.copies.give_up();
  CHECK_FALSE(scene.nodes.can_form_again());
  Cluster edited;
  edited.step();
  edited.run.lineage.edit();
  CHECK_FALSE(edited.nodes.can_form_again());
}
