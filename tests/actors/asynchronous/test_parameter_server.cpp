#include <doctest/doctest.h>

#include <algorithm>
#include <limits>
#include <vector>

#include "actors/servers/parameter_server.hpp"
#include "collectives/state/worker_slabs.hpp"
#include "runtime/store/object_store.hpp"

using namespace troupe;

namespace {

constexpr std::size_t kServedSize = 3 * 1024 + 100;
constexpr std::size_t kServedLearned = kServedSize - 10;

/// Two workers with two shards each, and the state that a server needs.
struct ServedScene {
  ObjectStore store{std::size_t{1} << 26};
  std::unique_ptr<StoreClient> client = store.connect();
  SlabLayout layout;
  Topology topology;
  std::unique_ptr<OwnGradients> own;
  std::shared_ptr<VersionedState> state;
  std::shared_ptr<ServedState> served;

  explicit ServedScene(int vectors) {
    topology.node_of_lane = {0, 0};
    topology.num_shards = 4;
    layout.run = layout.generation = 1;
    layout.size = kServedSize;
    layout.vectors = vectors;
    layout.num_shards = 4;
    layout.shards = {0, 4};
    layout.served = {0, 2};
    state = std::make_shared<VersionedState>(*client, layout);
    served = std::make_shared<ServedState>(*client, state);
    own = std::make_unique<OwnGradients>(*client, layout, GradientOf::worker, Range{0, 4}, 1);
    state->publish();
    served->map({{1, 1, 1, 1}}, std::chrono::seconds(5));
    std::ranges::fill(state->vector(kWeightsVector, 0), 1.0F);
  }
  void fill(std::size_t shard, float learned, float statistics) const {
    const auto gradient = own->gradient(shard);
    std::fill_n(gradient.begin(), kServedLearned, learned);
    std::ranges::fill(gradient.subspan(kServedLearned), statistics);
  }
  ParameterServer server(const Range& slice, const OptimizerSettings& optimizer) const {
    return {served, std::make_shared<ServerExchange>(served, topology, 1), 4, slice, kServedLearned, optimizer};
  }
};

Push push_of(int rank, double rate, int gradients) {
  Push push;
  push.rank = rank;
  push.to = 1;
  push.samples = 10;
  push.rate_bits = to_bits(rate);
  push.share_bits = to_bits(gradients / 4.0);
  return push;
}

}  // namespace

TEST_CASE("a parameter server applies a push to its slice, scaled by its share of a step, and serves the new weights") {
  const ServedScene scene(1);
  scene.fill(2, 20, 0.25F);  // computed by worker 1
  scene.fill(3, 40, 0.75F);
  const Range slice{1024, kServedSize};
  ParameterServer server = scene.server(slice, {});
  const Pushed pushed = server.carry_out(push_of(1, 0.1, 2));
  CHECK(pushed.finite);
  CHECK(pushed.bytes_pushed == static_cast<std::int64_t>(slice.size() * 4));
  CHECK(pushed.bytes_fetched == pushed.bytes_pushed);
  const auto now = scene.state->vector(kWeightsVector, 1);
  const auto to_worker = scene.served->served(1);
  for (std::size_t i = 0; i < kServedSize; ++i) {
    CAPTURE(i);
    // The mean gradient is 60 / 10. Gradients of half a step move weights by half the rate. A statistic moves by a
    // quarter of each change.
    const float wanted = i < slice.begin ? 0 : i < kServedLearned ? 1 - 0.05F * 6 : 1.25F;
    REQUIRE(now[i] == doctest::Approx(wanted));
    REQUIRE(to_worker[i] == now[i]);
  }
  CHECK(scene.served->served(0)[2000] == 0);
}

TEST_CASE("a server applies pushes as optimizer steps, in the order of their arrival") {
  OptimizerSettings adagrad{.kind = "adagrad", .learning_rate = 0.5};
  const ServedScene scene(2);
  ParameterServer server = scene.server({0, kServedSize}, adagrad);
  const UpdateRules alone(adagrad);
  float weight = 1;
  float sum = 0;
  for (int each = 0; each < 5; ++each) {
    const auto value = static_cast<float>(each + 1);
    scene.fill(0, value * 5, 0);
    scene.fill(1, value * 5, 0);
    Push push = push_of(0, 0.5, 2);
    push.from = each % 2;
    push.to = 1 - each % 2;
    push.updates = each;
    REQUIRE(server.carry_out(push).finite);
    float next = 0;
    float next_sum = 0;
    const float* state = &sum;
    float* new_state = &next_sum;
    alone.prepare({0.25, 0, each}).front()({1, &value, &weight, &next, &state, &new_state});
    weight = next;
    sum = next_sum;
    CHECK(scene.state->vector(kWeightsVector, push.to)[17] == weight);
    CHECK(scene.state->vector(kWeightsVector + 1, push.to)[17] == sum);
  }
}

TEST_CASE("a push that would make a slice non-finite does not change the slice") {
  const ServedScene scene(2);
  ParameterServer server = scene.server({0, kServedSize}, {.kind = "adagrad"});
  scene.fill(0, 1, 0);
  scene.fill(1, 1, 0);
  for (const std::size_t spoiled : {std::size_t{5}, kServedSize - 1}) {
    scene.own->gradient(1)[spoiled] = std::numeric_limits<float>::infinity();
    const Pushed pushed = server.carry_out(push_of(0, 0.1, 2));
    CHECK_FALSE(pushed.finite);
    for (int vector = 0; vector < 2; ++vector)
      CHECK(std::ranges::equal(scene.state->vector(vector, 0), scene.state->vector(vector, 1)));
    CHECK(scene.served->served(0)[100] == 1);
    scene.fill(1, 1, 0);
  }
}
