#include <doctest/doctest.h>

#include <set>
#include <string>
#include <tuple>

#include "actors/driver/faults/fault_plan.hpp"
#include "support/errors.hpp"

using namespace troupe;

TEST_CASE("a fault of a step in which its phase was not begun happens the next time, but none from before the run") {
  FaultPlan plan("kill worker 0 at step 5; kill worker 1 at step 7 phase apply; kill worker 2 at step 3", 3);
  CHECK(plan.due("compute", 4).empty());
  CHECK(plan.due("apply", 6).empty());
  CHECK(plan.due("apply", 9, 10).size() == 1);
  CHECK(plan.due("compute", 6).size() == 1);
  CHECK(plan.left() == 1);
}

TEST_CASE("a fault happens once, in its phase of its step") {
  FaultPlan plan("kill worker 2 at step 5 phase apply; stop worker 0 at step 5;;kill worker 1 at step 5 phase apply",
                 3);
  CHECK(plan.due("compute", 4).empty());
  const auto stop = plan.due("compute", 5);
  REQUIRE(stop.size() == 1);
  CHECK(stop[0].kind == FaultPlan::Fault::Kind::stop);
  CHECK(stop[0].worker == 0);
  CHECK(plan.due("compute", 5).empty());
  const auto kills = plan.due("apply", 5);
  REQUIRE(kills.size() == 2);
  CHECK(kills[0].worker == 2);
  CHECK(kills[1].worker == 1);
  CHECK(plan.left() == 0);
  CHECK(plan.empty());
  CHECK(FaultPlan("", 1).empty());
}

TEST_CASE("a full disk is found by the first checkpoint of its step or a later one, and by no worker") {
  FaultPlan plan("full disk at step 5; full disk at step 5; full disk at step 9", 1);
  CHECK_FALSE(plan.hurts_workers());
  CHECK_FALSE(plan.full_disk(4));
  CHECK(plan.due("checkpoint", 5).empty());
  CHECK(plan.full_disk(6));
  CHECK(plan.full_disk(6));
  CHECK_FALSE(plan.full_disk(8));
  CHECK(plan.full_disk(9));
  CHECK(plan.empty());
  CHECK(FaultPlan("full disk at step 1; kill worker 0 at step 1", 1).hurts_workers());
}

TEST_CASE("workers may become slow, and nodes be cut off") {
  FaultPlan plan("slow 10x worker 2 at step 5; cut node 1 at step 5 phase apply", 3, 2);
  CHECK(plan.hurts_workers());
  const auto slow = plan.due("compute", 5);
  REQUIRE(slow.size() == 1);
  CHECK(slow[0].kind == FaultPlan::Fault::Kind::slow);
  CHECK(slow[0].worker == 2);
  CHECK(slow[0].factor == 10);
  CHECK_FALSE(plan.hurts_workers());
  const auto cut = plan.due("apply", 5);
  REQUIRE(cut.size() == 1);
  CHECK(cut[0].kind == FaultPlan::Fault::Kind::cut);
  CHECK(cut[0].node == 1);
}

TEST_CASE("random kills are a function of the seed, and of all workers, phases and steps in the range") {
  const auto all = [](const char* text) {
    FaultPlan plan(text, 3);
    std::multiset<std::tuple<std::int64_t, std::string, int>> faults;
    for (std::int64_t step = 10; step <= 20; ++step)
      for (const char* phase : {"compute", "apply"})
        for (const auto& fault : plan.due(phase, step)) faults.emplace(step, phase, fault.worker);
    CHECK(plan.empty());
    return faults;
  };
  const auto kills = all("random 2000 kills of steps 10-20 seed 7");
  CHECK(kills.size() == 2000);
  CHECK(std::set(kills.begin(), kills.end()).size() == 11 * 2 * 3);
  CHECK(kills == all("random 2000 kills of steps 10-20 seed 7"));
  CHECK(kills != all("random 2000 kills of steps 10-20 seed 8"));
}

TEST_CASE("random slowness is a function of the seed, and another worker's in each step") {
  const std::string text = "random slow 5x of steps 3-102 seed 9";
  FaultPlan plan(text, 4);
  FaultPlan same(text, 4);
  FaultPlan other("random slow 5x of steps 3-102 seed 10", 4);
  std::vector<int> counts(4);
  int before = -1;
  int apart = 0;
  for (std::int64_t step = 3; step <= 102; ++step) {
    const auto due = plan.due("compute", step);
    REQUIRE(due.size() == 1);
    CHECK(due[0].kind == FaultPlan::Fault::Kind::slow);
    CHECK(due[0].factor == 5);
    CHECK(due[0].until == step + 1);
    CHECK(due[0].worker != before);
    CHECK(same.due("compute", step).at(0).worker == due[0].worker);
    apart += other.due("compute", step).at(0).worker != due[0].worker ? 1 : 0;
    before = due[0].worker;
    ++counts.at(static_cast<std::size_t>(before));
  }
  CHECK(plan.empty());
  CHECK(apart > 30);
  for (const int count : counts) CHECK(count > 10);
}

TEST_CASE("a plan that makes no sense is refused, and shown") {
  for (const char* text : {"explode",
                           "kill",
                           "kill worker 3 at step 5",
                           "kill worker 1 at step 0",
                           "kill worker -1 at step 1",
                           "kill worker 1 at step 5 phase",
                           "kill worker 1 at step 5 phase bogus",
                           "kill worker 1 at step 5 phase apply now",
                           "stop 1",
                           "random 0 kills of steps 1-2 seed 1",
                           "random 1 kills of steps 2-1 seed 1",
                           "random slow 5 of steps 1-2 seed 1",
                           "random slow 1x of steps 1-2 seed 1",
                           "random slow 5x of steps 2-1 seed 1",
                           "random slow 5x of steps 1-2000000 seed 1",
                           "random 1 kills of steps 2 seed 1",
                           "random 1 kills of steps 1-2",
                           "full disk",
                           "full disk at step 0",
                           "full disk at step 1 phase apply",
                           "kill worker 1x at step 5",
                           "slow worker 1 at step 5",
                           "slow 1x worker 1 at step 5",
                           "slow x worker 1 at step 5",
                           "slow 101x worker 1 at step 5",
                           "slow 10x node 1 at step 5",
                           "cut node 0 at step 1",
                           "cut worker 0 at step 1"}) {
    CAPTURE(text);
    const auto parse = [text] { FaultPlan plan(text, 3); };
    CHECK(code_of(parse) == ErrorCode::invalid_argument);
    CHECK(message_of(parse).find(std::string("fault '") + text + "'") != std::string::npos);
  }
}
