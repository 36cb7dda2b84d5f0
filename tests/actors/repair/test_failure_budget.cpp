#include <doctest/doctest.h>

#include <vector>

#include "actors/driver/faults/failure_budget.hpp"

using namespace troupe;
using namespace std::chrono_literals;

namespace {

Error loss(int worker) { return {ErrorCode::worker_lost, "a worker was lost", {.worker = worker, .phase = "compute"}}; }

}  // namespace

TEST_CASE("the budget limits the losses within an hour, and older losses no longer count") {
  FailureBudget budget(2);
  const auto begin = Clock::now();
  CHECK(budget.allows(loss(1), begin));
  CHECK(budget.allows(loss(2), begin + 30min));
  CHECK_FALSE(budget.allows(loss(3), begin + 59min));
  CHECK(
      budget.spent().message() ==
      "a worker was lost; this is loss 3 within an hour, more than max_failures = 2; earlier losses: a worker was lost "
      "(worker 1, phase compute); a worker was lost (worker 2, phase compute)");
  CHECK(budget.spent().where().worker == 3);
  CHECK_FALSE(budget.allows(loss(4), begin + 61min));
  CHECK(budget.allows(loss(5), begin + 120min));
}

TEST_CASE("with a budget of zero, the error contains only the loss") {
  FailureBudget budget(0);
  CHECK_FALSE(budget.allows(loss(1), Clock::now()));
  CHECK(budget.spent().message() == "a worker was lost");
}

TEST_CASE("the error lists only the last of many losses") {
  FailureBudget budget(20);
  const auto now = Clock::now();
  for (int worker = 0; worker < 20; ++worker) CHECK(budget.allows(loss(worker), now));
  CHECK_FALSE(budget.allows(loss(20), now));
  const std::string text = budget.spent().message();
  CHECK(text.find("worker 11,") == std::string::npos);
  CHECK(text.find("earlier losses: a worker was lost (worker 12,") != std::string::npos);
}

TEST_CASE("the pause grows until a step is committed") {
  FailureBudget budget(100);
  std::vector<std::chrono::milliseconds> pauses;
  for (int i = 0; i < 10; ++i) {
    budget.allows(loss(0), Clock::now());
    pauses.push_back(budget.pause());
  }
  CHECK(pauses ==
        std::vector<std::chrono::milliseconds>{0ms, 50ms, 100ms, 200ms, 400ms, 800ms, 1600ms, 3200ms, 5000ms, 5000ms});
  budget.note_progress();
  budget.allows(loss(0), Clock::now());
  CHECK(budget.pause() == 0ms);
}
