#include <doctest/doctest.h>

#include <set>
#include <string>
#include <tuple>

#include "actors/driver/faults/fault_plan.hpp"
#include "support/errors.hpp"

using namespace troupe;

TEST_CASE("a fault with a skipped phase happens at the next opportunity, except if its step is before the run") {
  FaultPlan plan(
      {testing::KillWorker{.worker = 0, .step = 5}, testing::KillWorker{.worker = 1, .step = 7, .phase = "apply"},
       testing::KillWorker{.worker = 2, .step = 3}},
      3);
  CHECK(plan.due("compute", 4).empty());
  CHECK(plan.due("apply", 6).empty());
  CHECK(plan.due("apply", 9, 10).size() == 1);
  CHECK(plan.due("compute", 6).size() == 1);
  CHECK(plan.left() == 1);
}

TEST_CASE("a fault happens once, in its phase of its step") {
  FaultPlan plan(
      {testing::KillWorker{.worker = 2, .step = 5, .phase = "apply"}, testing::StopWorker{.worker = 0, .step = 5},
       testing::KillWorker{.worker = 1, .step = 5, .phase = "apply"}},
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
  CHECK(FaultPlan({}, 1).empty());
}

TEST_CASE("a full disk affects the first checkpoint at its step or later, and no worker") {
  FaultPlan plan({testing::FullDisk{.step = 5}, testing::FullDisk{.step = 5}, testing::FullDisk{.step = 9}}, 1);
  CHECK_FALSE(plan.hurts_workers());
  CHECK_FALSE(plan.full_disk(4));
  CHECK(plan.due("checkpoint", 5).empty());
  CHECK(plan.full_disk(6));
  CHECK(plan.full_disk(6));
  CHECK_FALSE(plan.full_disk(8));
  CHECK(plan.full_disk(9));
  CHECK(plan.empty());
  CHECK(FaultPlan({testing::FullDisk{.step = 1}, testing::KillWorker{.worker = 0, .step = 1}}, 1).hurts_workers());
}

TEST_CASE("the plan can slow down workers and cut off nodes") {
  FaultPlan plan({testing::SlowWorker{.worker = 2, .factor = 10, .step = 5},
                  testing::CutNode{.node = 1, .step = 5, .phase = "apply"}},
                 3, 2);
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

TEST_CASE("random kills are a function of the seed, and cover all workers, phases and steps of the range") {
  const auto all = [](std::uint64_t seed) {
    FaultPlan plan({testing::RandomKills{.count = 2000, .first_step = 10, .last_step = 20, .seed = seed}}, 3);
    std::multiset<std::tuple<std::int64_t, std::string, int>> faults;
    for (std::int64_t step = 10; step <= 20; ++step)
      for (const char* phase : {"compute", "apply"})
        for (const auto& fault : plan.due(phase, step)) faults.emplace(step, phase, fault.worker);
    CHECK(plan.empty());
    return faults;
  };
  const auto kills = all(7);
  CHECK(kills.size() == 2000);
  CHECK(std::set(kills.begin(), kills.end()).size() == 11 * 2 * 3);
  CHECK(kills == all(7));
  CHECK(kills != all(8));
}

TEST_CASE("random slowness is a function of the seed and chooses another worker in each step") {
  const auto drawn = [](std::uint64_t seed) {
    return FaultPlan({testing::RandomSlowness{.factor = 5, .first_step = 3, .last_step = 102, .seed = seed}}, 4);
  };
  FaultPlan plan = drawn(9);
  FaultPlan same = drawn(9);
  FaultPlan other = drawn(10);
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

TEST_CASE("the error for an invalid fault names the invalid value") {
  using namespace testing;
  const auto refused = [](const Fault& fault, const char* what) {
    const auto plan = [&] { FaultPlan({fault}, 3, 2); };
    CHECK(code_of(plan) == ErrorCode::invalid_argument);
    CHECK_MESSAGE(message_of(plan).find(what) != std::string::npos, message_of(plan));
  };
  refused(KillWorker{.worker = 3}, "worker is 3, not 0 to 2");
  refused(StopWorker{.worker = -1}, "worker is -1");
  refused(KillWorker{.step = 0}, "step is 0");
  refused(KillWorker{.phase = "bogus"}, "phase 'bogus'; phases are start, settle, compute");
  refused(SlowWorker{.factor = 1}, "factor is 1, not 2 to 100");
  refused(SlowWorker{.factor = 101}, "factor is 101");
  refused(SlowWorker{.step = 3, .until = 3}, "until is 3, but must be greater than its step, 3");
  refused(CutNode{.node = 2}, "node is 2, not 0 to 1");
  refused(FullDisk{.step = 0}, "step is 0");
  refused(RandomKills{.count = 0}, "count is 0");
  refused(RandomKills{.first_step = 2, .last_step = 1}, "last_step is 1");
  refused(RandomKills{.first_step = 0}, "first_step is 0");
  refused(RandomSlowness{.factor = 1}, "factor is 1");
  refused(RandomSlowness{.first_step = 1, .last_step = 2'000'000}, "steps is 1999999");
  CHECK(message_of([] { FaultPlan({CutNode{}}, 3); }) == "a fault cuts a node off, but the run has no nodes");
  CHECK(code_of([] { FaultPlan({RandomSlowness{}}, 1); }) == ErrorCode::invalid_argument);
}
