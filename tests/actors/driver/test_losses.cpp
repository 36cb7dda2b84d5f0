#include <doctest/doctest.h>

#include "actors/driver/faults/losses.hpp"
#include "actors/rounds/fake_mailbox.hpp"
#include "support/errors.hpp"

using namespace troupe;

namespace {

Options with(Placement placement, WorkerCount workers, Restart restart = Restart::respawn) {
  Options options;
  options.placement = placement;
  options.num_workers = workers;
  options.num_shards = 8;
  options.fault_tolerance.restart = restart;
  return options;
}

/// A run with four workers.
struct LossScene {
  explicit LossScene(int most, const Options& options = with(Placement::processes, 4))
      : elasticity(options, 4), losses(most, rules_of(options.placement), elasticity) {
    for (const int worker : members.workers()) members.come(worker);
  }

  void take(int worker, const std::string& node = "pid 7") {
    losses.take(Error(ErrorCode::worker_lost, "it was lost", {.worker = worker, .node = node, .phase = "apply"}),
                &members, drop);
  }

  Members members{4, 1, 0, 8};
  Elasticity elasticity;
  Losses losses;
  std::vector<int> dropped;
  Losses::Drop drop = [this](int worker) {
    dropped.push_back(worker);
    members.drop(worker);
  };
};

}  // namespace

TEST_CASE("losses are reported until the budget is spent, and then the error mentions the budget") {
  LossScene scene(2);
  scene.take(1);
  scene.losses.note_progress();
  scene.take(3, "pid 9");
  scene.losses.note_progress();
  CHECK(code_of([&] { scene.take(0); }) == ErrorCode::worker_lost);
  const std::vector<Repair> repairs = scene.losses.take_repairs();
  REQUIRE(repairs.size() == 2);
  CHECK(repairs[0].worker == 1);
  CHECK(repairs[1].node == "pid 9");
  CHECK(repairs[1].phase == "apply");
  CHECK_FALSE(repairs[1].redistributed);
  CHECK(scene.losses.take_repairs().empty());
  CHECK(scene.dropped.empty());
}

TEST_CASE("a lost worker is dropped with Restart::redistribute, and for a range of workers when the budget is spent") {
  LossScene scene(1, with(Placement::processes, 4, Restart::redistribute));
  scene.take(2);
  CHECK(scene.dropped == std::vector<int>{2});
  CHECK(scene.losses.take_repairs().at(0).redistributed);
  LossScene range(0, with(Placement::processes, {2, 4}));
  range.take(1);
  CHECK(range.dropped == std::vector<int>{1});
  CHECK(range.losses.take_repairs().at(0).redistributed);
}

TEST_CASE("a worker that is lost before it has joined does not count as a loss") {
  LossScene scene(5);
  scene.losses.expect({3});
  CHECK(code_of([&] { scene.take(3); }) == ErrorCode::worker_lost);
  CHECK(scene.losses.take_repairs().empty());
  CHECK(scene.losses.take_newcomers() == std::vector<int>{3});
  scene.take(3);
  CHECK(scene.losses.take_repairs().size() == 1);
}

TEST_CASE("the loss of a node is reported as such, and no worker is dropped") {
  LossScene scene(1, with(Placement::cluster, 4));
  scene.take(2, "left");
  const Repair repair = scene.losses.take_repairs().at(0);
  CHECK(repair.worker == -1);
  CHECK(repair.node == "left");
  CHECK(scene.dropped.empty());
}
