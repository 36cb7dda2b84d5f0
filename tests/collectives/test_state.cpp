#include <doctest/doctest.h>

#include <algorithm>
#include <numeric>
#include <optional>
#include <stdexcept>

#include "collectives/state/driver_gradients.hpp"
#include "collectives/state/versioned_state.hpp"
#include "collectives/state/worker_slabs.hpp"
#include "runtime/store/object_store.hpp"
#include "support/errors.hpp"
#include "support/patience.hpp"

using namespace troupe;
using troupe_test::kPatience;

namespace {

constexpr std::size_t kQuota = std::size_t{1} << 20;
constexpr std::size_t kSize = kPageFloats + 500;  ///< two pages, the last one incomplete

SlabLayout layout_of(int vectors, int buffers, std::uint64_t generation = 1) {
  SlabLayout layout;
  layout.run = 3;
  layout.generation = generation;
  layout.size = kSize;
  layout.vectors = vectors;
  layout.buffers = buffers;
  layout.num_shards = 3;
  layout.shards = {0, 3};
  return layout;
}

/// Returns a value that identifies the vector, the buffer and the float.
float value_of(int vector, int buffer, std::size_t i) {
  return static_cast<float>(100'000 * (vector + 1) + 10'000 * buffer) + static_cast<float>(i);
}

void fill(const VersionedState& state) {
  for (int vector = 0; vector < state.layout().vectors; ++vector)
    for (int buffer = 0; buffer < state.layout().buffers; ++buffer) {
      const auto floats = state.vector(vector, buffer);
      for (std::size_t i = 0; i < floats.size(); ++i) floats[i] = value_of(vector, buffer, i);
    }
}

/// Returns whether a vector has the content that `fill` wrote to that buffer.
bool holds(std::span<const float> floats, int vector, int buffer) {
  bool same = floats.size() == kSize;
  for (std::size_t i = 0; same && i < floats.size(); ++i) same = floats[i] == value_of(vector, buffer, i);
  return same;
}

bool is_zero(std::span<const float> floats) {
  return std::all_of(floats.begin(), floats.end(), [](float each) { return each == 0; });
}

/// Returns the generations of the gradients of three shards. The first worker has two shards.
std::vector<std::vector<std::uint64_t>> made_for(std::uint64_t first, std::uint64_t second) {
  return {{first, first, second}};
}

/// The slabs of two workers. Their slices are one page and the remaining floats.
struct Workers {
  Workers(ObjectStore& store, const SlabLayout& layout)
      : first_store(store.connect()),
        second_store(store.connect()),
        first_gradients(*first_store, layout, GradientOf::worker, {0, 2}, layout.generation),
        second_gradients(*second_store, layout, GradientOf::worker, {2, 3}, layout.generation),
        first(*first_store, layout, {&first_gradients}, {0, kPageFloats}),
        second(*second_store, layout, {&second_gradients}, {kPageFloats, kSize}) {}

  void map_others() {
    first.map_others(made_for(first_gradients.made_for(), second_gradients.made_for()), kPatience);
    second.map_others(made_for(first_gradients.made_for(), second_gradients.made_for()), kPatience);
  }

  std::unique_ptr<StoreClient> first_store;
  std::unique_ptr<StoreClient> second_store;
  OwnGradients first_gradients;
  OwnGradients second_gradients;
  WorkerSlabs first;
  WorkerSlabs second;
};

}  // namespace

TEST_CASE("a state starts with zeros, and each vector in each buffer has memory of its own") {
  ObjectStore store(kQuota);
  const auto client = store.connect();
  VersionedState state(*client, layout_of(3, 2));
  CHECK(state.layout().state_bytes() == 3 * 2 * 2 * kPageBytes);
  for (int vector = 0; vector < 3; ++vector)
    for (int buffer = 0; buffer < 2; ++buffer) CHECK(is_zero(state.vector(vector, buffer)));
  fill(state);
  for (int vector = 0; vector < 3; ++vector)
    for (int buffer = 0; buffer < 2; ++buffer) CHECK(holds(state.vector(vector, buffer), vector, buffer));
  CHECK_THROWS_AS(state.vector(3, 0), std::out_of_range);
  CHECK_THROWS_AS(state.vector(0, 2), std::out_of_range);
}

TEST_CASE("a new state copies the live buffers to its first buffers, and outlives the old state") {
  ObjectStore store(kQuota);
  const auto client = store.connect();
  std::optional<VersionedState> old(std::in_place, *client, layout_of(2, 4));
  fill(*old);
  VersionedState state(*client, layout_of(2, 5, 2));
  state.carry(*old, {3, 0, 2});
  old.reset();
  for (int vector = 0; vector < 2; ++vector) {
    CHECK(holds(state.vector(vector, 0), vector, 3));
    CHECK(holds(state.vector(vector, 1), vector, 0));
    CHECK(holds(state.vector(vector, 2), vector, 2));
    CHECK(is_zero(state.vector(vector, 3)));
    CHECK(is_zero(state.vector(vector, 4)));
  }
}

TEST_CASE("place and clear change one buffer, and clear does not change the weights") {
  ObjectStore store(kQuota);
  const auto client = store.connect();
  VersionedState state(*client, layout_of(3, 2));
  fill(state);
  std::vector<float> flat(kSize + 24);  // transfers consist of whole pages
  std::iota(flat.begin(), flat.end(), 7.0F);
  state.place(flat, 1, 0);
  CHECK(std::equal(flat.begin(), flat.begin() + kSize, state.vector(1, 0).begin()));
  for (const auto& [vector, buffer] : {std::pair{0, 0}, {0, 1}, {1, 1}, {2, 0}, {2, 1}})
    CHECK(holds(state.vector(vector, buffer), vector, buffer));
  state.clear(1);
  for (const auto& [vector, buffer] : {std::pair{0, 0}, {0, 1}, {2, 0}})
    CHECK(holds(state.vector(vector, buffer), vector, buffer));
  CHECK(is_zero(state.vector(1, 1)));
  CHECK(is_zero(state.vector(2, 1)));
}

TEST_CASE("a published state can be read by all clients and can no longer be opened for writing") {
  ObjectStore store(kQuota);
  const auto client = store.connect();
  const auto other = store.connect();
  const SlabLayout layout = layout_of(2, 3);
  VersionedState state(*client, layout);
  fill(state);
  const auto opened = other->open(layout.vector_id(1, 2), 0, kPageBytes);
  CHECK(code_of([&] { other->get(layout.vector_id(1, 2), std::chrono::milliseconds(0)); }) == ErrorCode::timeout);
  state.publish();
  for (int vector = 0; vector < 2; ++vector)
    for (int buffer = 0; buffer < 3; ++buffer) {
      const ObjectId id = layout.vector_id(vector, buffer);
      CHECK(code_of([&] { other->open(id, 0, kPageBytes); }) == ErrorCode::store_failed);
      CHECK(holds(other->get(id, kPatience)->floats().first(kSize), vector, buffer));
    }
  opened->writable_floats()[0] = -1;  // an object that was already open stays writable
  CHECK(state.vector(1, 2)[0] == -1);
}

TEST_CASE("workers write their slices of every vector and buffer, and see all weights and gradients") {
  for (const int buffers : {2, 3}) {
    ObjectStore store(kQuota);
    const auto client = store.connect();
    const SlabLayout layout = layout_of(2, buffers);
    VersionedState state(*client, layout);
    Workers workers(store, layout);
    state.publish();
    workers.map_others();
    for (int buffer = 0; buffer < buffers; ++buffer)
      for (int vector = 0; vector < 2; ++vector) {
        workers.first.slice_of(vector, buffer, {3, 5})[1] = value_of(vector, buffer, 4);
        workers.second.slice_of(vector, buffer, {kSize - 2, kSize})[0] = value_of(vector, buffer, kSize - 2);
        CHECK(state.vector(vector, buffer)[4] == value_of(vector, buffer, 4));
        CHECK(state.vector(vector, buffer)[kSize - 2] == value_of(vector, buffer, kSize - 2));
        CHECK(workers.first.map_vector(vector, buffer, kPatience)->floats()[kSize - 2] ==
              value_of(vector, buffer, kSize - 2));
      }
    for (int buffer = 0; buffer < buffers; ++buffer) {
      CHECK(workers.first.weights(buffer).size() == kSize);
      CHECK(workers.second.weights(buffer)[4] == value_of(kWeightsVector, buffer, 4));
    }
    for (int shard = 0; shard < 3; ++shard) {
      (shard < 2 ? workers.first_gradients : workers.second_gradients).gradient(static_cast<std::size_t>(shard))[9] =
          static_cast<float>(shard + 1);
      for (const WorkerSlabs* slabs : {&workers.first, &workers.second})
        CHECK(slabs->sources().at(static_cast<std::size_t>(shard))[9] == static_cast<float>(shard + 1));
    }
    CHECK_THROWS_AS(workers.first.weights(buffers), std::out_of_range);
    CHECK_THROWS_AS(workers.first.slice_of(0, buffers, {0, 1}), std::out_of_range);
  }
}

TEST_CASE("a worker without a slice adds nothing, unless other workers need its contribution") {
  ObjectStore store(kQuota);
  const auto client = store.connect();
  const SlabLayout layout = layout_of(1, 2);
  VersionedState state(*client, layout);
  const OwnGradients two(*client, layout, GradientOf::worker, {0, 2}, 1);
  const OwnGradients none(*client, layout, GradientOf::worker, {2, 2}, 1);
  const OwnGradients one(*client, layout, GradientOf::worker, {2, 3}, 1);
  const WorkerSlabs both(*client, layout, {&two}, {0, kSize});
  WorkerSlabs idle(*client, layout, {&none}, {0, 0});
  WorkerSlabs contributor(*client, layout, {&one}, {0, 0}, /*contributes=*/true);
  state.publish();
  idle.map_others(made_for(1, 1), kPatience);
  contributor.map_others(made_for(1, 1), kPatience);
  CHECK(idle.sources().empty());
  CHECK(idle.weights(1).size() == kSize);
  REQUIRE(contributor.sources().size() == 3);
  CHECK(contributor.sources()[1].data() != nullptr);
}

TEST_CASE("gradients of an earlier generation can be used together with new ones") {
  ObjectStore store(kQuota);
  const auto client = store.connect();
  const auto other_client = store.connect();
  const OwnGradients kept(*client, layout_of(1, 2, 1), GradientOf::worker, {0, 2}, 1);
  kept.of(1)->writable_floats()[5] = 15;
  const OwnGradients fresh(*other_client, layout_of(1, 2, 2), GradientOf::worker, {2, 3}, 2);
  fresh.of(2)->writable_floats()[5] = 25;
  const SlabLayout layout = layout_of(1, 2, 2);
  VersionedState state(*client, layout);
  WorkerSlabs first(*client, layout, {&kept}, {0, kPageFloats});
  WorkerSlabs second(*other_client, layout, {&fresh}, {kPageFloats, kSize});
  state.publish();
  for (WorkerSlabs* slabs : {&first, &second}) {
    slabs->map_others(made_for(1, 2), kPatience);
    CHECK(slabs->sources().at(1)[5] == 15);
    CHECK(slabs->sources().at(2)[5] == 25);
  }
  WorkerSlabs stranger(*other_client, layout, {&fresh}, {0, 0}, /*contributes=*/true);
  CHECK(code_of([&] { stranger.map_others(made_for(2, 2), std::chrono::milliseconds(0)); }) == ErrorCode::timeout);
}

TEST_CASE("if the driver adds, it has all gradients, and workers have its mean") {
  ObjectStore store(kQuota);
  const auto client = store.connect();
  SlabLayout layout = layout_of(1, 2);
  layout.mean_gradient = true;
  VersionedState state(*client, layout);
  DriverGradients gradients(*client, layout);
  Workers workers(store, layout);
  state.publish();
  gradients.map(made_for(1, 1), kPatience);
  workers.map_others();
  for (int shard = 0; shard < 3; ++shard) {
    (shard < 2 ? workers.first_gradients : workers.second_gradients)
        .gradient(static_cast<std::size_t>(shard))[kSize - 1] = static_cast<float>(shard + 1);
    CHECK(gradients.all().at(static_cast<std::size_t>(shard))[kSize - 1] == static_cast<float>(shard + 1));
  }
  gradients.mean()[8] = 2;
  REQUIRE(workers.second.sources().size() == 1);
  CHECK(workers.second.sources()[0][8] == 2);
}

TEST_CASE("a constructor that throws frees all objects that it has created") {
  constexpr int kFits = 7;  // objects of two pages
  constexpr std::size_t kSmallQuota = kFits * 2 * kPageBytes;
  ObjectStore store(kSmallQuota);
  const auto client = store.connect();
  const auto has_all = [&] {
    const ObjectId whole = transfer_id(3, 1);
    const auto code = code_of([&] { client->create(whole, kSmallQuota, {.shared_writers = true}); });
    if (!code) client->release(whole);
    return !code;
  };
  REQUIRE(has_all());
  for (int again = 0; again < 2; ++again)
    CHECK(code_of([&] { VersionedState(*client, layout_of(2, 4)); }) == ErrorCode::store_full);
  CHECK(has_all());
  {
    const SlabLayout layout = layout_of(1, 2);
    const VersionedState state(*client, layout);
    // Two gradients fit in addition to the state. The third buffer does not exist and is opened last.
    CHECK(code_of([&] {
            const OwnGradients two(*client, layout, GradientOf::worker, {0, 2}, 1);
            WorkerSlabs(*client, layout_of(1, 3), {&two}, {0, kSize});
          }) == ErrorCode::store_failed);
    CHECK(code_of([&] { OwnGradients(*client, layout, GradientOf::worker, {0, 6}, 1); }) == ErrorCode::store_full);
    CHECK_FALSE(has_all());
  }
  CHECK(has_all());
}

TEST_CASE("a destructor frees its objects, and a missing store is no error") {
  std::optional<ObjectStore> store(std::in_place, kQuota);
  const auto client = store->connect();
  const auto other = store->connect();
  const SlabLayout layout = layout_of(1, 2);
  {
    VersionedState state(*client, layout);
    state.publish();
    CHECK(other->get(layout.vector_id(0, 1), kPatience) != nullptr);
    other->release(layout.vector_id(0, 1));
  }
  CHECK(code_of([&] { other->get(layout.vector_id(0, 1), std::chrono::milliseconds(0)); }) == ErrorCode::timeout);
  VersionedState late(*client, layout_of(1, 2, 2));
  store.reset();
}
