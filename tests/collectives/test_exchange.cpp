#include <doctest/doctest.h>

#include <algorithm>

#include "support/errors.hpp"
#include "trial.hpp"

using namespace troupe;

namespace {

const std::vector<PlanRequest> kInCluster{
    {.strategy = Strategy::hierarchical},
    {.strategy = Strategy::ring},
    {.strategy = Strategy::hierarchical, .deterministic = false},
    {.strategy = Strategy::ring, .deterministic = false},
    {.strategy = Strategy::parameter_server, .slice_owners = 1},
    {.strategy = Strategy::parameter_server},
};

/// Returns three numbers of replicas per node: one on each node, two on each node, and 1, 2, 3, 1, ...
std::vector<std::vector<int>> groupings(int nodes) {
  std::vector<std::vector<int>> all(3);
  for (int node = 0; node < nodes; ++node) {
    all[0].push_back(1);
    all[1].push_back(2);
    all[2].push_back(1 + node % 3);
  }
  return all;
}

int sum(const std::vector<int>& values) {
  int total = 0;
  for (const int value : values) total += value;
  return total;
}

void check(const ExchangeTrial& trial) {
  INFO(name_of(trial.request) << ", nodes " << trial.request.topology.num_nodes() << ", lanes "
                              << trial.request.topology.num_lanes() << ", shards " << trial.request.topology.num_shards
                              << ", size " << trial.size << ", in place " << trial.in_place);
  REQUIRE(failure(trial) == "");
}

void check_all(const PlanRequest& request, int nodes, std::size_t size) {
  for (const auto& lanes : groupings(nodes))
    for (const bool in_place : {false, true})
      for (const int more : {0, 3}) {
        if (kSanitized && in_place == (more == 0)) continue;
        ExchangeTrial trial{.request = on(topology_of(lanes, sum(lanes) + more), request), .size = size};
        trial.in_place = in_place;
        trial.whole_numbers = !request.deterministic && more > 0;
        check(trial);
      }
}

}  // namespace

TEST_CASE("every node gets the mean over all shards, bitwise equal to the tree's if the plan is deterministic") {
  for (const PlanRequest& request : kInCluster)
    for (const int nodes : {1, 2, 3, 4, 7})
      for (const std::size_t size : {0, 1, 10, 4097}) check_all(request, nodes, size);
  for (const std::size_t size : {0, 1, 10, 4097}) check_all({.strategy = Strategy::sharded}, 1, size);
}

TEST_CASE("reduce and share in two calls produce the same mean, also if the mean replaces a gradient") {
  for (const PlanRequest& request : kInCluster)
    for (const int nodes : {1, 2, 3, 4})
      for (const std::size_t size : {1, 4097, 70'001})
        for (const auto& lanes : groupings(nodes)) {
          ExchangeTrial trial{.request = on(topology_of(lanes, sum(lanes) + 3), request), .size = size};
          trial.in_two_parts = true;
          trial.in_place = lanes.size() % 2 == 0;
          trial.whole_numbers = !request.deterministic;
          check(trial);
        }
}

TEST_CASE("exchanges work with slices of several segments") {
  for (const PlanRequest& request : kInCluster) check_all(request, kSanitized ? 3 : 4, 70'001);
}

TEST_CASE("exchanges work with a million parameters") {
  for (const PlanRequest& request : kInCluster)
    for (const int nodes : {1, 2, 3, 4, 7}) {
      if (kSanitized && nodes % 2 == 0) continue;
      ExchangeTrial trial{.request = on(topology_of(groupings(nodes)[0], nodes), request),
                          .size = kSanitized ? 200'000U : 1'000'000U};
      trial.steps = 1;
      trial.in_place = nodes != 4;
      check(trial);
    }
  ExchangeTrial one_node;
  one_node.request.strategy = Strategy::sharded;
  one_node.request.topology = topology_of({4}, 5);
  one_node.size = 1'000'000;
  check(one_node);
}

TEST_CASE("after the return of its lanes, a node may begin the next step while other nodes are still in the last one") {
  for (const PlanRequest& request : kInCluster)
    for (const auto& lanes : {std::vector{1, 1, 1, 1}, std::vector{2, 1, 2}})
      for (const bool in_place : {false, true}) {
        ExchangeTrial trial{.request = on(topology_of(lanes, 6), request), .size = 20'000, .in_place = in_place};
        trial.steps = kSanitized ? 4 : 12;
        trial.whole_numbers = true;
        INFO(name_of(request) << ", nodes " << lanes.size() << ", in place " << in_place);
        REQUIRE(failure_without_rounds(trial) == "");
      }
}

TEST_CASE("weights may have one or three buffers") {
  for (const PlanRequest& request : kInCluster) {
    ExchangeTrial trial{.request = on(topology_of({1, 2, 1}, 5), request), .size = 20'000, .steps = 5};
    trial.whole_numbers = !request.deterministic;
    trial.buffers = 1;
    check(trial);
    trial.buffers = 3;
    check(trial);
    REQUIRE(failure_without_rounds(trial) == "");
  }
}

TEST_CASE("nodes without shards and replicas without shards take part") {
  for (const PlanRequest& request : kInCluster)
    for (const std::size_t size : {1, 10'000}) {
      check({.request = on(topology_of({2, 1, 1, 2}, 1), request), .size = size});
      check({.request = on(topology_of({1, 2, 1}, 2), request), .size = size});
    }
}

TEST_CASE("an error of the transport propagates from each lane that waits for the lost node") {
  for (const PlanRequest& request : kInCluster)
    for (const int sends : {0, 1, 5}) {
      INFO(name_of(request) << ", lost after " << sends);
      const ExchangeTrial trial{.request = on(topology_of({1, 2, 1}, 4), request), .size = 20'000};
      const auto codes = codes_after_loss(trial, 2, sends);
      CHECK(codes.back() == ErrorCode::worker_lost);
      for (const auto& code : codes) CHECK((!code || code == ErrorCode::worker_lost));
    }
}

TEST_CASE("senders of weights that are not finite can be followed back to the node that computed them") {
  for (const PlanRequest& request : kInCluster)
    for (int spoiler = 0; spoiler < 3; ++spoiler) {
      INFO(name_of(request) << ", node " << spoiler);
      ExchangeTrial trial{.request = on(topology_of({1, 2, 1}, 4), request), .size = 20'000};
      trial.whole_numbers = true;
      const std::vector<int> from = senders_of_weights(trial, spoiler);
      if (request.slice_owners == 1 && spoiler > 0) {  // the node owns nothing
        CHECK(from == std::vector{-1, -1, -1});
        continue;
      }
      CHECK(std::ranges::count(from, spoiler) > 0);
      CHECK(from[static_cast<std::size_t>(spoiler)] == -1);
      for (const int each : from) CHECK((each == -1 || each == spoiler || from[static_cast<std::size_t>(each)] >= 0));
    }
}

TEST_CASE("senders of sums that are not finite can be followed back to the node with these gradients") {
  for (const PlanRequest& request : kInCluster)
    for (int spoiler = 0; spoiler < 4; ++spoiler) {
      INFO(name_of(request) << ", node " << spoiler);
      ExchangeTrial trial{.request = on(topology_of({1, 2, 1, 1}, 5), request), .size = 20'000};
      trial.whole_numbers = true;
      const Topology topology = trial.request.topology;
      const Plan plan = make_plan(trial.request, trial.size);
      const auto by_owner = senders_of_sums(trial, spoiler);
      for (int owner = 0; owner < topology.num_lanes(); ++owner) {
        const std::vector<int>& from = by_owner[static_cast<std::size_t>(owner)];
        CHECK(from[static_cast<std::size_t>(spoiler)] == -1);
        if (plan.slice_of(owner).empty()) continue;
        int node = topology.node_of(owner);
        while (from[static_cast<std::size_t>(node)] >= 0) node = from[static_cast<std::size_t>(node)];
        CHECK(node == spoiler);
      }
    }
}

TEST_CASE("if its peers never begin, a node throws timeout at its deadline") {
  for (const PlanRequest& request : kInCluster) {
    INFO(name_of(request));
    const ExchangeTrial trial{.request = on(topology_of({1, 1}, 2), request), .size = 10'000};
    CHECK(code_of([&] { run_alone(trial, 0); }) == ErrorCode::timeout);
  }
}

TEST_CASE("replicas of other nodes are refused") {
  ExchangeTrial trial;
  trial.request.topology = topology_of({1, 1}, 2);
  trial.size = 10;
  CHECK(code_of([&] { run_alone(trial, 0, 1); }) == ErrorCode::invalid_argument);
}

TEST_CASE("an owner stages one slice per term of other nodes, and frees the slices afterwards") {
  // Nodes with two shards each hold complete subtrees. 7 shards on 3 nodes are 0-1, 2-3 and 4-6; the last range is a
  // complete subtree, too.
  CHECK(staged_floats(
            make_plan({.strategy = Strategy::hierarchical, .topology = topology_of({2, 2, 2, 2}, 8)}, 8 * 4096), 0) ==
        2 * 3 * 4096);
  CHECK(staged_floats(make_plan({.strategy = Strategy::hierarchical, .topology = topology_of({1, 1, 1}, 7)}, 3 * 4096),
                      0) == 2 * 4096);
  CHECK(staged_floats(
            make_plan({.strategy = Strategy::parameter_server, .topology = topology_of({1, 1, 1}, 7)}, 3 * 4096), 0) ==
        5 * 4096);
  CHECK(staged_floats(
            make_plan(
                {.strategy = Strategy::hierarchical, .deterministic = false, .topology = topology_of({1, 1, 1, 1}, 4)},
                4 * 4096),
            1) == 3 * 4096);
  CHECK(staged_floats(make_plan({.strategy = Strategy::sharded, .topology = topology_of({4}, 4)}, 4 * 4096), 0) == 0);
}
