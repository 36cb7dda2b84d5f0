#include <doctest/doctest.h>

#include "actors/placements/cluster/gathering.hpp"
#include "actors/schedules/virtual_time.hpp"

using namespace troupe;
using namespace troupe_test;
using namespace std::chrono_literals;

namespace {

using Nodes = std::vector<JoinedNode>;
using Chosen = std::vector<std::size_t>;

JoinedNode holder(std::int32_t number) { return {std::to_string(number), {{7, 1, number}}}; }
JoinedNode spare() { return {"spare", {}}; }
JoinedNode leaver(JoinedNode node) {
  node.leaves = true;
  return node;
}

/// The copies of a run with the nodes 0 to `nodes` - 1, of which each also keeps the part of the node before it.
NeededCopies copies_of(int nodes) {
  NeededCopies needed;
  needed.are_on = [](const JoinedNode& node) { return !node.copies.empty(); };
  needed.suffice = [nodes](const Nodes& joined) {
    std::vector<bool> there(static_cast<std::size_t>(nodes));
    for (const JoinedNode& node : joined)
      for (const OfferedCopy& copy : node.copies) {
        there[static_cast<std::size_t>(copy.holder)] = true;
        there[static_cast<std::size_t>((copy.holder + nodes - 1) % nodes)] = true;
      }
    return std::ranges::count(there, false) == 0;
  };
  return needed;
}

}  // namespace

TEST_CASE("a run begins at once with all its nodes, and after a pause with fewer") {
  VirtualTime time;
  const NeededCopies none;
  Gathering gathering(1, 2, 0, none);
  CHECK(gathering.choose({}, false).empty());
  CHECK(gathering.choose({spare()}, false).empty());
  CHECK(gathering.choose({spare(), spare()}, false) == Chosen{0, 1});
  CHECK(gathering.choose({spare()}, false).empty());
  time.pass(Gathering::kQuietTime);
  CHECK(gathering.choose({spare()}, false) == Chosen{0});
}

TEST_CASE("a run that is formed again waits for expected nodes, but not for long") {
  VirtualTime time;
  const NeededCopies none;
  Gathering gathering(1, 3, 2, none);
  time.pass(Gathering::kQuietTime);
  CHECK(gathering.choose({spare()}, false).empty());
  CHECK(gathering.choose({spare(), spare()}, false) == Chosen{0, 1});
  time.pass(Gathering::kReturnTime);
  CHECK(gathering.choose({spare()}, false) == Chosen{0});
}

TEST_CASE("nodes without copies do not take the places of nodes with copies") {
  VirtualTime time;
  const NeededCopies needed = copies_of(2);
  Gathering gathering(2, 2, 2, needed);
  CHECK(gathering.choose({spare(), spare()}, false).empty());
  CHECK(gathering.choose({spare(), spare(), holder(1)}, false) == Chosen{2, 0});
  time.pass(Gathering::kReturnTime);
  CHECK(gathering.choose({spare(), spare()}, false) == Chosen{0, 1});
}

TEST_CASE("a run with fewer nodes than the maximum waits longer for nodes with copies") {
  VirtualTime time;
  const NeededCopies needed = copies_of(2);
  Gathering gathering(1, 2, 1, needed);
  time.pass(Gathering::kReturnTime);
  CHECK(gathering.choose({spare()}, false).empty());
  time.pass(Gathering::kCopiesTime);
  CHECK(gathering.choose({spare()}, false) == Chosen{0});
}

TEST_CASE("a node that wants to leave takes part only if its copies are needed") {
  VirtualTime time;
  const NeededCopies needed = copies_of(3);
  Gathering gathering(1, 3, 1, needed);
  SUBCASE("they are on other nodes") {
    CHECK_FALSE(gathering.needs_leavers({holder(0), holder(1), leaver(holder(2))}));
  }
  SUBCASE("two neighbours leave: one stays") {
    const Nodes joined{holder(0), leaver(holder(1)), leaver(holder(2))};
    CHECK(gathering.needs_leavers(joined));
    CHECK(gathering.choose(joined, false) == Chosen{1, 0});
  }
  SUBCASE("all leave: so many stay that they have all copies") {
    time.pass(Gathering::kReturnTime);
    const Nodes joined{leaver(holder(0)), leaver(holder(1)), leaver(holder(2))};
    CHECK(gathering.choose(joined, false) == Chosen{1, 0});
  }
  SUBCASE("it takes the place of a node without copies") {
    const Nodes joined{holder(0), spare(), spare(), leaver(holder(1))};
    CHECK(gathering.choose(joined, false) == Chosen{3, 0, 1});
  }
  SUBCASE("it is needed for the minimum") {
    Gathering of_two(2, 3, 1, needed);
    CHECK(of_two.needs_leavers({holder(0), leaver(spare())}));
    time.pass(Gathering::kReturnTime);
    const NeededCopies none;
    CHECK(Gathering(2, 3, 1, none).choose({spare(), leaver(spare())}, false) == Chosen{1, 0});
  }
  SUBCASE("it waits for the nodes that are known to come") {
    CHECK(gathering.choose({leaver(holder(1)), leaver(holder(2))}, false).empty());
  }
}
