#include <doctest/doctest.h>

#include "actors/driver/fake_runtime.hpp"
#include "actors/driver/forming/run_workers.hpp"
#include "actors/messages/settle.hpp"
#include "support/errors.hpp"

using namespace troupe;

namespace {

using Log = std::vector<std::string>;

struct WorkersScene {
  explicit WorkersScene(int count) : runtime(count) {}

  troupe_test::FakeRuntime runtime;
  Rounds rounds{runtime.reception, runtime.members, *runtime.host};
  RunWorkers workers{runtime, rounds};
};

}  // namespace

TEST_CASE("workers are dropped from the last one on, and new workers take the first free places and count as lost") {
  WorkersScene scene(4);
  scene.workers.drop(1, 7);
  CHECK(scene.runtime.log == Log{"end 1", "unseat 1"});
  scene.workers.deal_to(2, 7);
  CHECK(scene.runtime.members.workers() == std::vector<int>{0, 2});
  scene.workers.deal_to(4, 7);
  CHECK(scene.runtime.members.workers() == std::vector<int>{0, 1, 2, 3});
  CHECK(scene.runtime.members.lost_workers() == std::vector<int>{1, 3});
  CHECK(scene.workers.all_but({0, 3}) == std::vector<int>{1, 2});
}

TEST_CASE("a dropped worker of this process is stopped first, and is lost if it does not reply") {
  WorkersScene scene(3);
  scene.runtime.fake_host->stop_time = std::chrono::milliseconds(1);
  std::vector<int> stopped;
  scene.runtime.reception.when_sent = [&](int member, const caf::message& message) {
    REQUIRE(message.match_elements<Stop>());
    stopped.push_back(member);
    if (member == 2) scene.runtime.reception.answer(member, Done{message.get_as<Stop>(0).round, {}});
  };
  scene.rounds.settle();
  scene.workers.drop(2, 7);
  CHECK(scene.rounds.settled());
  scene.workers.drop(1, 7);
  CHECK(stopped == std::vector<int>{2, 1});
  CHECK(scene.runtime.members.workers() == std::vector<int>{0});
}

TEST_CASE("the blamed worker is dropped first, and a worker that has never arrived stays expected") {
  WorkersScene scene(4);
  scene.workers.deal_to(5, 7);  // worker 4 is new
  for (const int worker : {0, 1, 2}) scene.runtime.members.lose(worker);
  scene.workers.drop_lost(2, /*least=*/3, 7);
  CHECK(scene.runtime.members.workers() == std::vector<int>{1, 3, 4});
  scene.workers.drop_lost(1, /*least=*/3, 7);
  CHECK(scene.runtime.members.num_workers() == 3);
}

TEST_CASE("lost workers are started once during steps, until one of them has arrived, ended or missed its deadline") {
  WorkersScene scene(3);
  scene.runtime.members.lose(1);
  constexpr std::chrono::hours kLong{1};
  CHECK(scene.workers.are_coming(kLong));
  CHECK(scene.workers.are_coming(kLong));
  CHECK(scene.runtime.log == Log{"unseat 1", "start 1"});
  scene.runtime.members.lose(2);
  CHECK(scene.workers.are_coming(kLong));
  scene.runtime.fake_host->ends[2] = "its process was ended";
  CHECK_FALSE(scene.workers.are_coming(kLong));
}

TEST_CASE("steps no longer run without a worker that has arrived or missed its deadline") {
  constexpr std::chrono::hours kLong{1};
  WorkersScene late(2);
  late.runtime.members.lose(1);
  CHECK_FALSE(late.workers.are_coming(std::chrono::milliseconds(-1)));
  WorkersScene came(2);
  came.runtime.members.lose(1);
  CHECK(came.workers.are_coming(kLong));
  came.runtime.reception.arrive(1);
  came.runtime.reception.next(Deadline(std::chrono::milliseconds(0)));
  CHECK_FALSE(came.workers.are_coming(kLong));
}

TEST_CASE("replace_lost starts the lost workers that are not starting yet, and waits for all of them") {
  WorkersScene scene(4);
  scene.runtime.fake_host->pids = {{1, 71}, {2, 72}};
  scene.runtime.members.lose(1);
  REQUIRE(scene.workers.are_coming(std::chrono::hours(1)));
  scene.runtime.members.lose(2);
  scene.runtime.log.clear();
  for (const int worker : {1, 2}) scene.runtime.reception.arrive(worker, scene.runtime.fake_host->pids[worker]);
  scene.workers.replace_lost({"start", 7, Deadline(std::chrono::hours(1))});
  CHECK(scene.runtime.log == Log{"unseat 2", "start 2", "seat 1", "seat 2"});
  CHECK(scene.runtime.members.lost_workers().empty());
  CHECK(scene.runtime.members.unbuilt_workers() == std::vector<int>{0, 1, 2, 3});

  scene.runtime.members.lose(3);
  scene.runtime.fake_host->ends[3] = "its process was ended by signal 9";
  CHECK(code_of([&] {
          scene.workers.replace_lost({"start", 7, Deadline(std::chrono::hours(1))});
        }) == ErrorCode::worker_lost);
}
