#include <doctest/doctest.h>

#include <string>

#include "cli/train/options/fault_text.hpp"
#include "support/errors.hpp"

using namespace troupe;
using cli::faults_of;

TEST_CASE("a text with several faults is parsed") {
  using namespace testing;
  const auto faults = faults_of(
      "kill worker 2 at step 5 phase apply; stop worker 0 at step 6;; slow 10x worker 1 at step 7;cut node 1 at step "
      "8; "
      "full disk at step 9; random 100 kills of steps 10-500 seed 7; random slow 5x of steps 1-2 seed 3");
  REQUIRE(faults.size() == 7);
  const auto& kill = std::get<KillWorker>(faults[0]);
  CHECK(kill.worker == 2);
  CHECK(kill.step == 5);
  CHECK(kill.phase == "apply");
  const auto& stop = std::get<StopWorker>(faults[1]);
  CHECK(stop.worker == 0);
  CHECK(stop.step == 6);
  CHECK(stop.phase == "compute");
  const auto& slow = std::get<SlowWorker>(faults[2]);
  CHECK(slow.worker == 1);
  CHECK(slow.factor == 10);
  CHECK(slow.step == 7);
  CHECK(std::get<CutNode>(faults[3]).node == 1);
  CHECK(std::get<CutNode>(faults[3]).step == 8);
  CHECK(std::get<FullDisk>(faults[4]).step == 9);
  const auto& kills = std::get<RandomKills>(faults[5]);
  CHECK(kills.count == 100);
  CHECK(kills.first_step == 10);
  CHECK(kills.last_step == 500);
  CHECK(kills.seed == 7);
  const auto& slowness = std::get<RandomSlowness>(faults[6]);
  CHECK(slowness.factor == 5);
  CHECK(slowness.first_step == 1);
  CHECK(slowness.last_step == 2);
  CHECK(slowness.seed == 3);
  CHECK(faults_of("").empty());
}

TEST_CASE("an invalid fault is refused and quoted") {
  for (const char* text :
       {"explode", "kill", "kill worker -1 at step 1", "kill worker 1 at step 0", "kill worker 1 at step 5 phase",
        "kill worker 1 at step 5 phase apply now", "stop 1", "random 0 kills of steps 1-2 seed 1",
        "random slow 5 of steps 1-2 seed 1", "random 1 kills of steps 2 seed 1", "random 1 kills of steps 1-2",
        "full disk", "full disk at step 0", "full disk at step 1 phase apply", "kill worker 1x at step 5",
        "slow worker 1 at step 5", "slow x worker 1 at step 5", "slow 10x node 1 at step 5",
        "cut worker 0 at step 1"}) {
    CAPTURE(text);
    const auto parse = [text] { faults_of(text); };
    CHECK(code_of(parse) == ErrorCode::invalid_argument);
    CHECK(message_of(parse).find(std::string("fault '") + text + "'") != std::string::npos);
  }
}
