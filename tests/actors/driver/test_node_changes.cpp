#include <doctest/doctest.h>

#include "actors/driver/copies/copy_pace.hpp"
#include "actors/driver/node_changes.hpp"

using namespace troupe;
using namespace std::chrono_literals;

TEST_CASE("a run is formed again for nodes that join or leave, and not again for a node that did not come") {
  NodeChanges changes;
  const Clock::time_point start = Clock::now();
  CHECK_FALSE(changes.due({}, 0, 2, 4, start));
  CHECK(changes.due({}, 1, 2, 4, start) == 1);
  CHECK(changes.due({"c", "d"}, 0, 2, 4, start) == 4);
  CHECK(changes.due({"c", "d"}, 0, 3, 4, start) == 4);
  CHECK(changes.note_formed({"a", "b", "c"}, 0, start).empty());
  CHECK_FALSE(changes.due({"d"}, 0, 3, 4, start + 59s));
  CHECK(changes.due({"d"}, 1, 3, 4, start + 59s) == 2);
  CHECK(changes.due({"d"}, 0, 3, 4, start + NodeChanges::kIgnored) == 4);
  changes.postpone(start + 100s);
  CHECK_FALSE(changes.due({"d"}, 1, 3, 4, start + 109s));
  CHECK(changes.due({"d"}, 1, 3, 4, start + 110s) == 3);
}

TEST_CASE("a run is not formed again and again for nodes that cannot leave because their copies are needed") {
  NodeChanges changes;
  const Clock::time_point start = Clock::now();
  changes.note_formed({"a", "b"}, 0, start);
  CHECK(changes.due({}, 2, 2, 4, start) == 1);
  changes.note_formed({"a", "b"}, 1, start);
  CHECK_FALSE(changes.due({}, 2, 2, 4, start + 9s));
  CHECK(changes.due({"c"}, 2, 2, 4, start + 9s) == 1);
  CHECK(changes.due({}, 3, 3, 4, start + 9s) == 1);
  CHECK(changes.due({}, 2, 2, 4, start + NodeChanges::kPause) == 1);
}

TEST_CASE("a run knows which nodes have joined and left it, and when") {
  NodeChanges changes;
  const Clock::time_point start = Clock::now();
  changes.note_formed({"a", "b", "b"}, 0, start);
  CHECK(changes.note_formed({"a", "b", "b"}, 3, start).empty());
  const NodesChange change = changes.note_formed({"b", "c", "d"}, 7, start + 5s);
  CHECK(change.joined == std::vector<std::string>{"c", "d"});
  CHECK(change.left == std::vector<std::string>{"a", "b"});
  REQUIRE(changes.history().size() == 1);
  CHECK(changes.history()[0].step == 7);
  CHECK(changes.history()[0].at == start + 5s);
  for (std::int64_t step = 8; step < 40; ++step) changes.note_formed({step % 2 == 0 ? "a" : "b"}, step, start);
  CHECK(changes.history().size() == NodeChanges::kKept);
  CHECK(changes.history().front().step == 40 - static_cast<std::int64_t>(NodeChanges::kKept));
}

TEST_CASE("copying takes at most its share of the time of steps") {
  CopyPace pace(0);
  double copying = 0;
  int copies = 0;
  std::size_t left = 0;
  for (std::int64_t step = 1; step <= 10'000; ++step) {
    pace.note_steps(1, step, 0.1);
    if (left == 0 && pace.may_begin()) {
      pace.begin();
      pace.note_work(0.02);
      copying += 0.02;
      left = 100;
      ++copies;
    }
    if (left == 0) continue;
    const std::size_t segments = pace.segments(left);
    left -= segments;
    pace.note_work(0.002 * static_cast<double>(segments), segments);
    copying += 0.002 * static_cast<double>(segments);
  }
  CHECK(copying <= CopyPace::kShare * 1000 + 0.03);
  CHECK(copies >= 120);  // a copy takes 0.22 s, and 30 s may be used
}

TEST_CASE("with a fixed interval, a copy is spread over the steps of the interval and complete at its end") {
  CopyPace pace(10);
  std::size_t left = 0;
  std::size_t most = 0;
  for (std::int64_t step = 1; step <= 100; ++step) {
    pace.note_steps(1, step, 0.1);
    if (left == 0 && pace.may_begin()) {
      CHECK((step == 1 || step % 10 == 0));
      pace.begin();
      left = 95;
    }
    const std::size_t segments = left > 0 ? pace.segments(left) : 0;
    left -= segments;
    most = std::max(most, segments);
    if (step % 10 == 9) CHECK(left == 0);
  }
  CHECK(most <= 11);
  pace.note_failure();
  CHECK_FALSE(pace.may_begin());
  pace.hurry();
  CHECK(pace.may_begin());
}
