#include <doctest/doctest.h>

#include "actors/rounds/members.hpp"

using namespace troupe;

namespace {

/// Checks that the ranges are consecutive from 0 to `end`, with sizes that differ by at most one.
void check_dealt(const std::vector<Range>& parts, std::size_t end) {
  std::size_t next = 0;
  std::size_t least = end;
  std::size_t most = 0;
  for (const Range& part : parts) {
    CHECK(part.begin == next);
    next = part.end;
    least = std::min(least, part.size());
    most = std::max(most, part.size());
  }
  CHECK(next == end);
  CHECK(most - least <= 1);
}

/// Calls `check` for many valid numbers of workers, devices per worker and shards.
template <class Check>
void for_each_shape(Check check) {
  for (int workers = 1; workers <= 6; ++workers)
    for (int devices = 1; devices <= 3; ++devices)
      for (int shards = workers * devices; shards <= workers * devices + 7; ++shards) {
        CAPTURE(workers);
        CAPTURE(devices);
        CAPTURE(shards);
        check(workers, devices, shards);
      }
}

}  // namespace

TEST_CASE("every shard belongs to one lane and every lane to one worker, in order and as evenly as possible") {
  for_each_shape([](int workers, int devices, int shards) {
    const Members members(workers, devices, 0, shards);
    const Topology& topology = members.topology();
    REQUIRE(topology.num_lanes() == workers * devices);
    CHECK(topology.num_shards == shards);
    std::vector<Range> of_lanes;
    for (int lane = 0; lane < topology.num_lanes(); ++lane) of_lanes.push_back(topology.shards_of_lane(lane));
    check_dealt(of_lanes, static_cast<std::size_t>(shards));
    std::size_t lane = 0;
    for (const int worker : members.workers()) {
      const Range lanes = members.lanes_of(worker);
      CHECK(lanes == Range{lane, lane + static_cast<std::size_t>(devices)});
      CHECK(members.shards_of(worker) == Range{of_lanes[lanes.begin].begin, of_lanes[lanes.end - 1].end});
      lane = lanes.end;
    }
    CHECK(members.shards_of(workers - 1).end == static_cast<std::size_t>(shards));
  });
}

TEST_CASE("workers are assigned to nodes evenly and in order, with all their lanes") {
  for_each_shape([](int workers, int devices, int shards) {
    for (int nodes = 1; nodes <= workers; ++nodes) {
      const Members members(workers, devices, nodes, shards);
      members.topology().check();
      CHECK(members.topology().num_nodes() == nodes);
      std::vector<Range> of_nodes(static_cast<std::size_t>(nodes));
      for (const int worker : members.workers()) {
        Range& range = of_nodes.at(static_cast<std::size_t>(members.node_of(worker)));
        if (range.empty()) range.begin = static_cast<std::size_t>(worker);
        range.end = static_cast<std::size_t>(worker) + 1;
        const Range lanes = members.lanes_of(worker);
        for (std::size_t lane = lanes.begin; lane < lanes.end; ++lane)
          CHECK(members.topology().node_of(static_cast<int>(lane)) == members.node_of(worker));
      }
      check_dealt(of_nodes, static_cast<std::size_t>(workers));
    }
  });
}

TEST_CASE("after deal_to_nodes, the assignment equals that of a new run with this number of nodes") {
  for (int nodes = 1; nodes <= 3; ++nodes) {
    Members members(5, 2, 3, 10);
    members.lose(members.member_of_node(0));
    members.deal_to_nodes(std::vector<int>(static_cast<std::size_t>(nodes), 8), 5);
    const Members fresh(5, 2, nodes, 10);
    CHECK(members.topology().node_of_lane == fresh.topology().node_of_lane);
    CHECK(members.nodes() == fresh.nodes());
    for (const int node : members.nodes()) CHECK_FALSE(members.lost(node));
  }
}

TEST_CASE("workers are assigned to nodes in proportion to their cores, at least one to each node") {
  const auto dealt = [](const std::vector<int>& cores, int workers) {
    Members members(4, 1, static_cast<int>(cores.size()), 100);
    members.deal_to_nodes(cores, workers);
    std::vector<int> counts(cores.size());
    for (const int worker : members.workers()) ++counts[static_cast<std::size_t>(members.node_of(worker))];
    return counts;
  };
  CHECK(dealt({8, 24}, 4) == std::vector{1, 3});
  CHECK(dealt({2, 2, 2}, 8) == std::vector{3, 3, 2});
  CHECK(dealt({64, 1, 0}, 4) == std::vector{2, 1, 1});
  CHECK(dealt({16, 8, 8}, 16) == std::vector{8, 4, 4});
}

TEST_CASE("on one machine all lanes are on node 0, and there are no nodes") {
  const Members members(3, 2, 0, 6);
  CHECK(members.topology().node_of_lane == std::vector<std::int32_t>(6));
  CHECK(members.nodes().empty());
  CHECK_FALSE(members.is_node(2));
}

TEST_CASE("nodes have member numbers after those of the workers") {
  const Members members(5, 1, 2, 5);
  CHECK(members.workers() == std::vector{0, 1, 2, 3, 4});
  CHECK(members.nodes() == std::vector{5, 6});
  CHECK(members.member_of_node(1) == 6);
  CHECK(members.node_of(6) == 1);
  CHECK(members.is_node(5));
  CHECK_FALSE(members.is_node(4));
  CHECK(members.node_of(2) == 0);
  CHECK(members.node_of(3) == 1);
}

TEST_CASE("workers count as lost until they arrive, and as unbuilt until they have built their replicas") {
  Members members(3, 1, 2, 3);
  CHECK(members.lost_workers() == std::vector{0, 1, 2});
  CHECK_FALSE(members.silent_workers());  // no worker had arrived
  for (const int node : members.nodes()) CHECK_FALSE(members.lost(node));
  members.come(1);
  CHECK(members.lost_workers() == std::vector{0, 2});
  members.come(0);
  members.come(2);
  CHECK(members.lost_workers().empty());
  CHECK(members.unbuilt_workers() == std::vector{0, 1, 2});
  members.build(0);
  members.build(2);
  CHECK(members.unbuilt_workers() == std::vector{1});
}

TEST_CASE("a worker lost after its arrival is silent, and its replacement builds its replicas again") {
  Members members(2, 1, 1, 2);
  for (const int worker : members.workers()) {
    members.come(worker);
    members.build(worker);
  }
  CHECK_FALSE(members.silent_workers());
  members.lose(1);
  CHECK(members.lost(1));
  CHECK_FALSE(members.lost(0));
  CHECK(members.lost_workers() == std::vector{1});
  CHECK(members.silent_workers());
  CHECK(members.unbuilt_workers().empty());
  members.come(1);
  CHECK_FALSE(members.silent_workers());
  CHECK(members.unbuilt_workers() == std::vector{1});
}

TEST_CASE("a lost node does not count as a lost worker") {
  Members members(2, 1, 2, 2);
  members.come(0);
  members.come(1);
  members.lose(3);
  CHECK(members.lost(3));
  CHECK_FALSE(members.lost(2));
  CHECK(members.lost_workers().empty());
  CHECK_FALSE(members.silent_workers());
}

TEST_CASE("workers can be dropped and added, keep their indices, and shards are redistributed") {
  Members members(3, 2, 0, 12);
  for (const int worker : members.workers()) {
    members.come(worker);
    members.build(worker);
  }
  members.drop(1);
  CHECK(members.workers() == std::vector<int>{0, 2});
  CHECK(members.num_workers() == 2);
  CHECK_FALSE(members.takes_part(1));
  CHECK(members.rank_of(2) == 1);
  CHECK(members.shards_of(0) == Range{0, 6});
  CHECK(members.shards_of(2) == Range{6, 12});
  CHECK(members.lanes_of(2) == Range{2, 4});
  CHECK(members.lost_workers().empty());
  CHECK(members.unbuilt_workers() == std::vector<int>{0, 2});

  members.add();
  members.add();
  CHECK(members.workers() == std::vector<int>{0, 1, 2, 3});
  CHECK(members.lost_workers() == std::vector<int>{1, 3});
  CHECK(members.never_came(1));
  CHECK(members.rank_of(2) == 2);
  CHECK(members.shards_of(3) == Range{9, 12});
  CHECK_FALSE(members.takes_part(4));
  CHECK_FALSE(members.takes_part(-1));
}

TEST_CASE("a worker that was lost and dropped stays silent") {
  Members members(2, 1, 0, 2);
  members.come(0);
  members.come(1);
  members.lose(1);
  members.drop(1);
  CHECK(members.lost_workers().empty());
  CHECK(members.silent_workers());
}
