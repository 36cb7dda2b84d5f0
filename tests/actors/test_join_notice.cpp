#include <doctest/doctest.h>

#include "actors/placements/cluster/join_notice.hpp"

using namespace std::chrono_literals;
using troupe::Clock;
using troupe::JoinNotice;

namespace {

using NodeNames = std::vector<std::string>;

const Clock::time_point kBegin{};

}  // namespace

TEST_CASE("no notice is printed if nodes join soon") {
  JoinNotice notice("10.0.0.1:7070", 2, kBegin);
  CHECK_FALSE(notice.look({}, kBegin));
  CHECK_FALSE(notice.look({"alice"}, kBegin + 1900ms));
  CHECK_FALSE(notice.end({"alice", "bob"}));
}

TEST_CASE("the notice states the number of missing nodes, the joined nodes, and finally that all have joined") {
  JoinNotice notice("10.0.0.1:7070", 3, kBegin);
  CHECK(notice.look({}, kBegin + 2s) == "waiting for 3 of 3 nodes at 10.0.0.1:7070");
  CHECK_FALSE(notice.look({}, kBegin + 11900ms));
  CHECK(notice.look({}, kBegin + 12s));
  const NodeNames two{"alice", "bob"};
  CHECK(notice.look(two, kBegin + 13s) == "waiting for 1 of 3 nodes at 10.0.0.1:7070 (alice, bob joined)");
  CHECK_FALSE(notice.look(two, kBegin + 22900ms));
  CHECK(notice.look(two, kBegin + 23s));
  CHECK(notice.look({"bob"}, kBegin + 24s) == "waiting for 2 of 3 nodes at 10.0.0.1:7070 (bob joined)");
  CHECK(notice.end({"bob", "carol", "dave"}) == "all 3 nodes have joined: bob, carol, dave");
  CHECK(notice.end({"bob"}) == "beginning with 1 of 3 nodes: bob");
}
