#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <thread>
#include <vector>

#include "collectives/exchange/server_exchange.hpp"
#include "collectives/loop_transport.hpp"
#include "collectives/plan/plan.hpp"
#include "collectives/state/worker_slabs.hpp"
#include "runtime/store/object_store.hpp"
#include "support/errors.hpp"

using namespace troupe;

namespace {

constexpr std::size_t kBlock = 16384;
constexpr std::size_t kFlatSize = 20 * kBlock + 100;

Deadline soon() { return Deadline(std::chrono::seconds(20)); }

/// Three nodes with one worker each. Two of the nodes own one half of the vectors each.
struct ServingNodes {
  struct Node {
    ObjectStore store{std::size_t{1} << 27};
    std::unique_ptr<StoreClient> client = store.connect();
    std::shared_ptr<VersionedState> state;
    std::shared_ptr<ServedState> served;
    std::unique_ptr<OwnGradients> own;
    std::unique_ptr<ServerExchange> exchange;
  };
  LoopNetwork network{3};
  Topology topology{{0, 1, 2}, 0};
  std::vector<Range> slices{{0, 10 * kBlock}, {10 * kBlock, kFlatSize}, {kFlatSize, kFlatSize}};
  std::vector<std::unique_ptr<Node>> nodes;

  explicit ServingNodes(int shards_each) {
    topology.num_shards = 3 * shards_each;
    for (int self = 0; self < 3; ++self) {
      nodes.push_back(std::make_unique<Node>());
      Node& node = *nodes.back();
      const auto rank = static_cast<std::size_t>(self);
      SlabLayout layout;
      layout.run = layout.generation = 1;
      layout.size = kFlatSize;
      layout.num_shards = topology.num_shards;
      layout.shards = topology.shards_of_node(self);
      layout.served = {rank, rank + 1};
      node.state = std::make_shared<VersionedState>(*node.client, layout);
      node.served = std::make_shared<ServedState>(*node.client, node.state);
      node.own = std::make_unique<OwnGradients>(*node.client, layout, GradientOf::worker, layout.shards, 1);
      node.state->publish();
      node.served->map({std::vector<std::uint64_t>(static_cast<std::size_t>(topology.num_shards), 1)},
                       std::chrono::seconds(5));
      node.exchange = std::make_unique<ServerExchange>(
          node.served, topology, 1, ServerExchange::Nodes{self, slices, network.endpoint(self), *node.client});
    }
  }
  std::span<float> gradient(std::size_t shard) {
    for (const auto& node : nodes)
      if (node->own->has(shard)) return node->own->gradient(shard);
    return {};
  }
  /// Returns the sum of the gradients that a server reads of one push, at the floats of its slice.
  std::vector<float> sum_at(int server, int rank, std::uint64_t ticket) {
    const Range& slice = slices[static_cast<std::size_t>(server)];
    const PushedSlice pushed = nodes[static_cast<std::size_t>(server)]->exchange->pushed(rank, slice, ticket, soon());
    bytes = pushed.bytes;
    std::vector<float> sum(kFlatSize);
    for (std::size_t i = slice.begin; i < slice.end; ++i)
      for (const auto& gradient : pushed.gradients) sum[i] += gradient[i - pushed.begin];
    return sum;
  }
  std::int64_t bytes = 0;  ///< bytes of the push that was read last
};

}  // namespace

TEST_CASE("a push sends only blocks that are not zero, and no block of an earlier push remains") {
  ServingNodes all(1);
  const auto gradient = all.gradient(2);  // belongs to the worker on node 2
  gradient[5] = 1;
  gradient[12 * kBlock] = 2;
  gradient[kFlatSize - 1] = 3;
  all.nodes[2]->exchange->push(2, 1, soon());
  std::vector<float> sum = all.sum_at(0, 2, 1);
  CHECK(sum[5] == 1);
  CHECK(std::ranges::count(sum, 0.0F) == static_cast<std::ptrdiff_t>(kFlatSize) - 1);
  CHECK(all.bytes == kBlock * 4);
  sum = all.sum_at(1, 2, 1);
  CHECK(sum[12 * kBlock] == 2);
  CHECK(sum[kFlatSize - 1] == 3);
  CHECK(std::ranges::count(sum, 0.0F) == static_cast<std::ptrdiff_t>(kFlatSize) - 2);
  CHECK(all.bytes == (kBlock + 100) * 4);
  // Three blocks, and for each server two bytes that state which blocks follow.
  CHECK(all.network.bytes_sent(2) == (2 * kBlock + 100) * 4 + 2 + 2);

  gradient[5] = 0;
  gradient[kBlock] = -0.0F;
  all.nodes[2]->exchange->push(2, 2, soon());
  sum = all.sum_at(0, 2, 2);
  CHECK(sum[5] == 0);
  CHECK(all.bytes == kBlock * 4);  // negative zero is sent, too
  CHECK(all.network.complaint().empty());
}

TEST_CASE("a push sends the sum of a worker's shards, except to the server on its own node") {
  ServingNodes all(2);
  std::ranges::fill(all.gradient(0), 1.0F);
  std::ranges::fill(all.gradient(1), 2.0F);
  all.nodes[0]->exchange->push(0, 7, soon());
  CHECK(all.network.bytes_sent(0) == all.slices[1].size() * 4 + 2);
  std::vector<float> sum = all.sum_at(1, 0, 7);
  CHECK(std::ranges::count(sum, 3.0F) == static_cast<std::ptrdiff_t>(all.slices[1].size()));
  sum = all.sum_at(0, 0, 7);
  CHECK(std::ranges::count(sum, 3.0F) == static_cast<std::ptrdiff_t>(all.slices[0].size()));
  CHECK(all.network.complaint().empty());
}

TEST_CASE("each worker receives the slices of all servers, and every node has all shared weights") {
  ServingNodes all(1);
  for (int server = 0; server < 2; ++server) {
    const Range& slice = all.slices[static_cast<std::size_t>(server)];
    const auto weights = all.nodes[static_cast<std::size_t>(server)]->state->vector(kWeightsVector, 1);
    for (std::size_t i = slice.begin; i < slice.end; ++i) weights[i] = static_cast<float>(i % 1000);
    for (int rank = 0; rank < 3; ++rank)
      all.nodes[static_cast<std::size_t>(server)]->exchange->serve(rank, slice, weights, 3, soon());
  }
  const auto whole = [](std::span<const float> floats) {
    for (std::size_t i = 0; i < kFlatSize; ++i)
      if (floats[i] != static_cast<float>(i % 1000)) return false;
    return true;
  };
  std::vector<std::jthread> sharing;
  for (int rank = 0; rank < 3; ++rank) {
    ServingNodes::Node& node = *all.nodes[static_cast<std::size_t>(rank)];
    node.exchange->await_served(rank, 3, soon());
    CHECK(whole(node.served->served(rank)));
    sharing.emplace_back([&node] { node.exchange->share(1, 4, soon()); });
  }
  sharing.clear();
  for (const auto& node : all.nodes) CHECK(whole(node->state->vector(kWeightsVector, 1)));
  CHECK(all.network.complaint().empty());
}

TEST_CASE("a worker refuses weights that are not finite, and the error names the server that sent them") {
  ServingNodes all(1);
  for (int server = 0; server < 2; ++server) {
    const Range& slice = all.slices[static_cast<std::size_t>(server)];
    const auto weights = all.nodes[static_cast<std::size_t>(server)]->state->vector(kWeightsVector, 1);
    if (server == 1) weights[kFlatSize - 1] = NAN;
    for (int rank = 0; rank < 3; ++rank)
      all.nodes[static_cast<std::size_t>(server)]->exchange->serve(rank, slice, weights, 3, soon());
  }
  for (const int rank : {0, 2}) {
    const auto take = [&] { all.nodes[static_cast<std::size_t>(rank)]->exchange->await_served(rank, 3, soon()); };
    CHECK(code_of(take) == ErrorCode::protocol);
    CHECK(where_of(take).node == "node 1");
  }
  std::vector<Where> told(3);
  {
    std::vector<std::jthread> sharing;
    for (std::size_t node = 0; node < 3; ++node)
      sharing.emplace_back(
          [&, node] { told[node] = where_of([&] { all.nodes[node]->exchange->share(1, 4, soon()); }); });
  }
  CHECK(told == std::vector<Where>{{.node = "node 1"}, {}, {.node = "node 1"}});
}
