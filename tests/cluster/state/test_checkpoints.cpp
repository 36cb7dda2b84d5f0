#include <doctest/doctest.h>
#include <signal.h>

#include "actors/state/state_trial.hpp"
#include "cluster/nodes.hpp"
#include "support/errors.hpp"
#include "support/stop.hpp"

using namespace troupe;
using namespace troupe_test;
using troupe::testing::TemporaryFolder;

namespace {

/// How the work of a run is distributed. With 0 nodes the run is in this process.
struct ClusterDeal {
  int nodes;
  int workers;
  int devices;
  Strategy strategy;
};

Options dealt(const Nodes& nodes, const ClusterDeal& deal, const TrialModel& model, const std::string& optimizer) {
  Options options = deal.nodes > 0 ? nodes.options(deal.nodes) : Options();
  make_trial(options, model, optimizer);
  options.num_workers = deal.workers;
  options.compute.devices_per_worker = deal.devices;
  options.gradients.strategy = deal.strategy;
  return options;
}

/// Saves a checkpoint after three steps with one distribution, and resumes with another until the end of `expected`.
void check_goes_on(const Nodes& nodes, const ClusterDeal& from, const ClusterDeal& to, const TrialModel& model,
                   const std::string& optimizer, const Outcome& expected) {
  const TemporaryFolder folder;
  {
    DistributedSGD first(model.name, dealt(nodes, from, model, optimizer));
    go_on(first, 2, folder / "part");
    go_on(first, 1, folder / "part");
  }
  DistributedSGD second(model.name, dealt(nodes, to, model, optimizer));
  second.step();
  second.load_state(folder / "part");
  check_same_end(go_on(second, 3, folder / "rest"), expected);
}

}  // namespace

TEST_CASE("a run resumes from a checkpoint on other nodes or without nodes, bitwise identical") {
  Nodes nodes(3);
  const ClusterDeal here{0, 2, 1, Strategy::automatic};
  const TemporaryFolder folder;
  for (const auto& [model, optimizer] :
       {std::pair{kBatches, "sgd"}, {kStatistics, "sgd"}, {kStatistics, "adagrad"}, {kStatistics, "adam"}}) {
    CAPTURE(model.name);
    CAPTURE(optimizer);
    DistributedSGD whole(model.name, dealt(nodes, {0, 1, 1, Strategy::automatic}, model, optimizer));
    const Outcome expected = go_on(whole, 6, folder / "whole");
    check_goes_on(nodes, {3, 3, 1, Strategy::hierarchical}, {2, 3, 2, Strategy::ring}, model, optimizer, expected);
    check_goes_on(nodes, {2, 2, 2, Strategy::parameter_server}, here, model, optimizer, expected);
    check_goes_on(nodes, here, {3, 6, 1, Strategy::parameter_server}, model, optimizer, expected);
  }
}

TEST_CASE("nodes refuse a checkpoint of another run and continue from their own state") {
  Nodes nodes(2);
  const TemporaryFolder folder;
  const ClusterDeal deal{2, 2, 1, Strategy::hierarchical};
  DistributedSGD other(kBatches.name, dealt(nodes, {0, 1, 1, Strategy::automatic}, kBatches, "adam"));
  go_on(other, 1, folder / "other");
  DistributedSGD twin(kStatistics.name, dealt(nodes, {0, 1, 1, Strategy::automatic}, kStatistics, "adam"));
  const Outcome expected = go_on(twin, 2, folder / "twin");
  DistributedSGD sgd(kStatistics.name, dealt(nodes, deal, kStatistics, "adam"));
  sgd.step();
  CHECK(code_of([&] { sgd.load_state(folder / "other"); }) == ErrorCode::model_mismatch);
  CHECK(code_of([&] { sgd.load_state(folder / "nowhere"); }) == ErrorCode::bad_file);
  CHECK(code_of([&] { sgd.save_state(folder / "nowhere/below"); }) == ErrorCode::bad_file);
  check_same_end(go_on(sgd, 1, folder / "rest"), expected);
}

TEST_CASE(
    "background checkpoints on nodes survive a change of generation, and any number of nodes can resume from them") {
  Nodes nodes(3);
  const TemporaryFolder folder;
  const std::string run = folder / "run";
  DistributedSGD whole(kStatistics.name, dealt(nodes, {0, 1, 1, Strategy::automatic}, kStatistics, "adam"));
  const Outcome expected = go_on(whole, 8, folder / "whole");
  int done = 0;
  for (const ClusterDeal& deal : {ClusterDeal{3, 3, 1, Strategy::hierarchical},
                                  {0, 2, 1, Strategy::automatic},
                                  {2, 3, 2, Strategy::parameter_server}}) {
    CAPTURE(done);
    Options options = dealt(nodes, deal, kStatistics, "adam");
    options.checkpoint = {.folder = run, .every_steps = 2, .resume = true};
    DistributedSGD sgd(kStatistics.name, options);
    CHECK(sgd.steps_done() == done);
    for (int step = 0; step < 2; ++step) sgd.step();
    // A failed round ends the generation while vectors of the pinned version are still to be read.
    CHECK(code_of([&] { sgd.foreach_model("nobody"); }).has_value());
    const StepReport report = sgd.step();
    CHECK(report.checkpoint.error.empty());
    CHECK(report.pinned_bytes > 0);
    done += 2;
  }
  Options options = dealt(nodes, {3, 3, 1, Strategy::ring}, kStatistics, "adam");
  options.checkpoint = {.folder = run, .resume = true};
  DistributedSGD last(kStatistics.name, options);
  CHECK(last.steps_done() == 6);
  check_same_end(go_on(last, 2, folder / "last"), expected);
}

TEST_CASE("a pinned version on nodes stays unchanged in the next generation") {
  Nodes nodes(2);
  for (const Strategy strategy : {Strategy::hierarchical, Strategy::parameter_server}) {
    CAPTURE(to_string(strategy));
    Driver driver(kStatistics.name, dealt(nodes, {2, 3, 1, strategy}, kStatistics, "adam"));
    Driver again(kStatistics.name, dealt(nodes, {0, 1, 1, Strategy::automatic}, kStatistics, "adam"));
    check_pinning(driver, again, [](Driver& disturbed) {
      // A failed round ends the generation.
      CHECK(code_of([&] { disturbed.call_model("nobody", "", /*first_only=*/false); }).has_value());
    });
  }
}

TEST_CASE("a node that does not answer while its part of the state is collected is named") {
  Nodes nodes(3);
  Options options = dealt(nodes, {3, 3, 1, Strategy::hierarchical}, kStatistics, "adam");
  options.timeouts.save = std::chrono::seconds(3);
  DistributedSGD sgd(kStatistics.name, options);
  sgd.step();
  const TemporaryFolder folder;
  const pid_t frozen = sgd.worker_pids()[2];
  stop(frozen);
  std::optional<Error> error;
  try {
    sgd.save_state(folder / "state");
  } catch (const Error& caught) {
    error = caught;
  }
  ::kill(frozen, SIGCONT);
  REQUIRE(error);
  INFO(error->what());
  CHECK(error->code() == ErrorCode::timeout);
  CHECK(error->where().node == "node2");
}
