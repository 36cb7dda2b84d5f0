#include <doctest/doctest.h>

#include <cmath>
#include <map>
#include <set>

#include "collectives/plan/flows.hpp"
#include "collectives/plan/program.hpp"
#include "collectives/plan/tree.hpp"
#include "runtime/processes/memory.hpp"
#include "support/errors.hpp"
#include "traffic.hpp"
#include "trial.hpp"

using namespace troupe;

namespace {

const std::vector<PlanRequest> kRequests{
    {.strategy = Strategy::hierarchical},
    {.strategy = Strategy::ring},
    {.strategy = Strategy::hierarchical, .deterministic = false},
    {.strategy = Strategy::ring, .deterministic = false},
    {.strategy = Strategy::parameter_server, .slice_owners = 1},
    {.strategy = Strategy::parameter_server},
};

/// Returns numbers of replicas per node for up to 64 replicas: one each, all on one node, two each, and 1, 2, 3, 1, ...
std::vector<std::vector<int>> lane_groupings(int lanes) {
  std::vector<std::vector<int>> all{std::vector<int>(static_cast<std::size_t>(lanes), 1), {lanes}};
  if (lanes % 2 == 0) all.push_back(std::vector<int>(static_cast<std::size_t>(lanes / 2), 2));
  std::vector<int> uneven;
  for (int left = lanes; left > 0; left -= uneven.back())
    uneven.push_back(std::min(left, 1 + static_cast<int>(uneven.size()) % 3));
  all.push_back(uneven);
  return all;
}

/// The terms of a lane's sum: the number of times that each shard occurs.
using Count = std::map<std::size_t, int>;

void add(Count& count, const Range& shards) {
  for (std::size_t shard = shards.begin; shard < shards.end; ++shard) ++count[shard];
}

std::size_t index(int value) { return static_cast<std::size_t>(value); }

Range own_shards(const Plan& plan, int lane) {
  return plan.strategy == Strategy::ring ? plan.topology.shards_of_lane(lane)
                                         : plan.topology.shards_of_node(plan.topology.node_of_lane[index(lane)]);
}

/// Returns the terms of the sum that reaches an owner through its flows.
Count shards_at(const Plan& plan, int owner, const std::vector<Flow>& flows) {
  Count sum;
  if (!plan.ring_order) {
    add(sum, plan.topology.shards_of_node(plan.topology.node_of_lane[index(owner)]));
    for (const Flow& flow : flows)
      if (flow.kind == Flow::Kind::partial) {
        REQUIRE(flow.to_lane == owner);
        add(sum, flow.shards);
      }
    return sum;
  }
  int at = -1;
  for (const Flow& flow : flows)
    if (flow.kind == Flow::Kind::running_sum) {
      REQUIRE((at < 0 || flow.from_lane == at));
      add(sum, own_shards(plan, flow.from_lane));
      at = flow.to_lane;
    }
  REQUIRE((at < 0 || at == owner));
  add(sum, own_shards(plan, owner));
  return sum;
}

void check_owner(const Plan& plan, int owner, const std::vector<Flow>& flows) {
  const Count sum = shards_at(plan, owner, flows);
  REQUIRE(sum.size() == index(plan.topology.num_shards));
  for (const auto& [shard, times] : sum) REQUIRE(times == 1);
  std::set<int> have{plan.topology.node_of_lane[index(owner)]};
  for (const Flow& flow : flows)
    if (flow.kind == Flow::Kind::weights) {
      REQUIRE(have.contains(flow.from_node));  // a node sends only weights that it has received
      REQUIRE(have.insert(flow.to_node).second);
    }
  REQUIRE(static_cast<int>(have.size()) == plan.topology.num_nodes());
}

/// Checks that every float is reduced once over all shards, and that every node gets all floats.
void check_plan(const Plan& plan, std::size_t size) {
  std::map<int, std::vector<Flow>> by_owner;
  for (const Flow& flow : plan.flows) {
    by_owner[flow.owner].push_back(flow);
    REQUIRE(flow.from_node == plan.topology.node_of_lane[index(flow.from_lane)]);
    REQUIRE(flow.to_node == plan.topology.node_of_lane[index(flow.to_lane)]);
    REQUIRE((flow.from_node != flow.to_node || (plan.ring_order && plan.strategy == Strategy::ring)));
  }
  std::size_t at = 0;
  for (std::size_t lane = 0; lane < plan.slices.size(); ++lane) {
    REQUIRE(plan.slices[lane].begin == at);
    at = plan.slices[lane].end;
    if (!plan.slices[lane].empty()) check_owner(plan, static_cast<int>(lane), by_owner[static_cast<int>(lane)]);
    if (plan.slices[lane].empty()) REQUIRE(by_owner[static_cast<int>(lane)].empty());
  }
  REQUIRE(at == size);
}

/// Simulates the programs of all lanes as if each send arrived at once. Returns the number of operations that can never
/// run.
std::size_t stuck(const Plan& plan) {
  std::vector<std::vector<LaneOperation>> programs;
  for (int lane = 0; lane < plan.topology.num_lanes(); ++lane) programs.push_back(lane_program(plan, lane));
  std::set<std::pair<int, std::uint32_t>> sent;
  std::vector<std::size_t> next(programs.size());
  const auto ready = [&](int lane, const LaneOperation& operation) {
    if (operation.kind != LaneOperation::Kind::apply)
      return operation.in < 0 || sent.contains({operation.in, operation.segment});
    for (std::size_t i = 0; i < plan.flows.size(); ++i)
      if (plan.flows[i].to_lane == lane && plan.flows[i].owner == lane &&
          !sent.contains({static_cast<int>(i), operation.segment}))
        return false;
    return true;
  };
  const auto execute = [&](int lane, const LaneOperation& operation) {
    if (operation.out >= 0) sent.insert({operation.out, operation.segment});
    for (std::size_t i = 0; i < plan.flows.size() && operation.kind == LaneOperation::Kind::apply; ++i)
      if (plan.flows[i].from_lane == lane && plan.flows[i].owner == lane)
        sent.insert({static_cast<int>(i), operation.segment});
  };
  for (bool moved = true; moved;) {
    moved = false;
    for (std::size_t lane = 0; lane < programs.size(); ++lane)
      for (; next[lane] < programs[lane].size() && ready(static_cast<int>(lane), programs[lane][next[lane]]);
           ++next[lane]) {
        execute(static_cast<int>(lane), programs[lane][next[lane]]);
        moved = true;
      }
  }
  std::size_t left = 0;
  for (std::size_t lane = 0; lane < programs.size(); ++lane) left += programs[lane].size() - next[lane];
  return left;
}

}  // namespace

TEST_CASE("plans for 1 to 64 replicas reduce every float once over all shards, and every node gets all floats") {
  for (int lanes = 1; lanes <= 64; lanes += kSanitized ? 7 : 1)
    for (const auto& grouping : lane_groupings(lanes))
      for (const PlanRequest& request : kRequests) {
        const int shards = lanes + (lanes % 5 == 0 ? lanes / 2 : 0);
        const std::size_t size = lanes * 7919U % 97 * 1777;  // from less than one page to several pages per lane
        INFO(name_of(request) << ", lanes " << lanes << " on " << grouping.size());
        check_plan(make_plan(on(topology_of(grouping, shards), request), size), size);
      }
}

TEST_CASE("plans support replicas without shards and nodes without slices") {
  for (const PlanRequest& request : kRequests) {
    check_plan(make_plan(on(topology_of({1, 2, 1}, 2), request), 5000), 5000);
    check_plan(make_plan(on(topology_of({2, 1, 1, 2}, 1), request), 1), 1);
    check_plan(make_plan(on(topology_of({2, 1}, 3), request), 0), 0);
  }
}

TEST_CASE("lane programs have no deadlock") {
  for (const int lanes : {2, 3, 4, 7, 12})
    for (const auto& grouping : lane_groupings(lanes))
      for (const PlanRequest& request : kRequests)
        for (const std::size_t size : {std::size_t{1}, std::size_t{4097}, index(lanes) * 30'000}) {
          INFO(name_of(request) << ", lanes " << lanes << " on " << grouping.size());
          REQUIRE(stuck(make_plan(on(topology_of(grouping, lanes + 1), request), size)) == 0);
        }
}

TEST_CASE("a node sends 2 (N-1)/N of the vector if nodes hold complete subtrees or add in ring order") {
  const auto check_bytes = [](const PlanRequest& request, const std::vector<int>& lanes, std::size_t size) {
    const int num_lanes = static_cast<int>(lanes.size()) * lanes.front();
    const Plan plan = make_plan(on(topology_of(lanes, num_lanes), request), size);
    const double nodes = static_cast<double>(lanes.size());
    const double theory = 2 * (nodes - 1) / nodes * static_cast<double>(size) * sizeof(float);
    const double rounding = 2 * nodes * lanes.front() * kPageBytes;
    INFO(name_of(request) << ", nodes " << nodes << ", lanes " << num_lanes);
    for (int node = 0; node < plan.topology.num_nodes(); ++node) {
      REQUIRE(std::abs(static_cast<double>(traffic_of(plan, node).sent) - theory) <= rounding);
      REQUIRE(std::abs(static_cast<double>(traffic_of(plan, node).received) - theory) <= rounding);
    }
  };
  for (std::size_t nodes = 2; nodes <= 64; nodes += kSanitized ? 31 : 1)
    for (const std::size_t size : {std::size_t{1'000'003}, nodes * 1024}) {
      for (const Strategy strategy : {Strategy::hierarchical, Strategy::ring})
        for (const bool deterministic : {true, false})
          check_bytes({.strategy = strategy, .deterministic = deterministic}, std::vector<int>(nodes, 1), size);
      check_bytes({.strategy = Strategy::hierarchical}, std::vector<int>(nodes, 2), size);
      check_bytes({.strategy = Strategy::hierarchical}, std::vector<int>(nodes, 4), size);
      check_bytes({.strategy = Strategy::hierarchical, .deterministic = false}, std::vector<int>(nodes, 3), size);
    }
}

TEST_CASE("a single parameter server receives a gradient from each other shard and sends weights to each other node") {
  for (std::size_t nodes = 2; nodes <= 64; ++nodes) {
    const std::size_t size = 123'457;
    const Topology topology = topology_of(std::vector<int>(nodes, 1), static_cast<int>(nodes));
    const Plan plan =
        make_plan({.strategy = Strategy::parameter_server, .slice_owners = 1, .topology = topology}, size);
    REQUIRE(traffic_of(plan, 0).received == (nodes - 1) * size * sizeof(float));
    REQUIRE(traffic_of(plan, 0).sent == (nodes - 1) * size * sizeof(float));
    REQUIRE(traffic_of(plan, 1).sent == size * sizeof(float));
  }
  CHECK(code_of([] {
          make_plan({Strategy::parameter_server, true, 3, topology_of({1, 1}, 2)}, 9);
        }) == ErrorCode::invalid_argument);
}

TEST_CASE("a node sends an owner at most 2 log2 V partial sums") {
  for (int lanes = 2; lanes <= 64; ++lanes)
    for (const auto& grouping : lane_groupings(lanes)) {
      const int shards = lanes * 3 - 1;
      const Plan plan = make_plan({.strategy = Strategy::hierarchical, .topology = topology_of(grouping, shards)}, 1);
      std::map<int, int> terms;
      for (const Flow& flow : plan.flows)
        if (flow.kind == Flow::Kind::partial) ++terms[flow.from_node];
      for (const auto& [node, count] : terms) REQUIRE(count <= 2 * std::log2(shards));
    }
}

TEST_CASE("the lanes of a node share its sends and receives") {
  const Plan plan =
      make_plan({.strategy = Strategy::hierarchical, .topology = topology_of({2, 2, 2, 2}, 8)}, 8 * kPageFloats);
  std::map<int, int> sums;
  std::map<int, int> weights;
  for (const Flow& flow : plan.flows) {
    if (flow.kind == Flow::Kind::partial) ++sums[flow.from_lane];
    if (flow.kind == Flow::Kind::weights) ++weights[flow.to_lane];
  }
  for (int lane = 0; lane < 8; ++lane) {
    CHECK(sums[lane] == 3);
    CHECK(weights[lane] == 3);
  }
}

TEST_CASE("segments are whole chunks of the tree, and large slices are divided into several segments") {
  for (const std::size_t size : {1UL, 2048UL, 8192UL, 8193UL, 33'000UL, 1'000'000UL, 100'000'000UL}) {
    CHECK(segment_floats(size) % kTreeChunk == 0);
    CHECK(segment_floats(size) * sizeof(float) <= 1U << 20U);
    if (size > 40'000) CHECK(segment_floats(size) * 3 < size);
  }
}
