#include <doctest/doctest.h>

#include <algorithm>
#include <numeric>
#include <thread>

#include "actors/placements/state_home.hpp"
#include "runtime/store/object_store.hpp"
#include "support/errors.hpp"
#include "support/patience.hpp"

using namespace troupe;
using troupe_test::kPatience;

namespace {

constexpr std::size_t kStateSize = kPageFloats + 500;

SlabLayout layout_of(std::uint64_t generation, int buffers = 2, bool mean_gradient = false) {
  SlabLayout layout;
  layout.run = 3;
  layout.generation = generation;
  layout.size = kStateSize;
  layout.vectors = 2;
  layout.buffers = buffers;
  layout.mean_gradient = mean_gradient;
  return layout;
}

/// The state on one machine, and a worker that fills transfers.
struct StateScene {
  explicit StateScene(std::size_t quota = std::size_t{1} << 20) : store(quota) {}

  void begin(const SlabLayout& layout, const std::vector<int>& carried) { home->begin(layout, {}, carried, phase); }
  /// Writes a vector, as a worker's model would.
  void write(int vector, int buffer, float first) {
    home->create(++last, 0, kStateSize, phase);
    const auto mapping = worker->open(transfer_id(3, last), 0, kStateSize * sizeof(float));
    std::iota(mapping->writable_floats().begin(), mapping->writable_floats().begin() + kStateSize, first);
    home->place(last, vector, buffer, phase);
  }
  /// Returns the first float of a vector of a published state. Checks that the vector is as `write` wrote it.
  float read(const SlabLayout& layout, int vector, int buffer) {
    const ObjectId id = layout.vector_id(vector, buffer);
    const auto mapping = worker->get(id, kPatience);
    for (std::size_t i = 1; i < kStateSize; ++i) REQUIRE(mapping->floats()[i] == mapping->floats()[i - 1] + 1);
    worker->release(id);
    return mapping->floats()[0];
  }

  const Phase phase{"start", 1, Deadline(kPatience)};
  ObjectStore store;
  std::unique_ptr<StoreClient> client = store.connect();
  std::unique_ptr<StoreClient> worker = store.connect();
  std::unique_ptr<StateHome> home = keep_state_here(*client);
  std::uint64_t last = 0;
};

}  // namespace

TEST_CASE("the state of one machine is carried from generation to generation") {
  StateScene scene;
  scene.begin(layout_of(1), {});
  scene.write(0, 1, 10);
  scene.write(1, 1, 20);
  scene.write(0, 0, 30);
  scene.write(1, 0, 40);
  CHECK(layout_of(1).state_bytes() == 2 * 2 * 2 * kPageBytes);
  const SlabLayout next = layout_of(2, 3);
  scene.begin(next, {1, 0});
  CHECK(next.state_bytes() == 2 * 3 * 2 * kPageBytes);
  scene.home->publish({}, scene.phase);
  CHECK(scene.read(next, 0, 0) == 10);
  CHECK(scene.read(next, 1, 0) == 20);
  CHECK(scene.read(next, 0, 1) == 30);
  CHECK(scene.read(next, 1, 1) == 40);
}

TEST_CASE("a generation that fails to begin does not change live vectors, with or without the driver's gradients") {
  for (const bool mean_gradient : {false, true}) {
    StateScene scene;
    scene.begin(layout_of(1, 2, mean_gradient), {});
    scene.write(0, 1, 10);
    scene.write(1, 1, 20);
    const SlabLayout failing = layout_of(2, 2, mean_gradient);
    // Another object already has the name of the last object that is made.
    const ObjectId taken = mean_gradient ? failing.id(ObjectKind::mean_gradient, 0) : failing.vector_id(1, 1);
    scene.worker->create(taken, kPageBytes);
    CHECK(code_of([&] { scene.begin(failing, {1}); }) == ErrorCode::store_failed);
    const SlabLayout next = layout_of(3, 2, false);
    scene.begin(next, {1});
    scene.home->publish({}, scene.phase);
    CHECK(scene.read(next, 0, 0) == 10);
    CHECK(scene.read(next, 1, 0) == 20);
  }
}

TEST_CASE("transfers work in both directions and leave nothing in the store") {
  StateScene scene;
  scene.begin(layout_of(1), {});
  std::vector<float> values(kStateSize);
  std::iota(values.begin(), values.end(), 5.0F);
  scene.home->put(
      100, {0}, values.size(), [&](std::span<float> floats) { std::ranges::copy(values, floats.begin()); },
      scene.phase);
  const auto seen = scene.worker->get(transfer_id(3, 100), kPatience);
  CHECK(std::equal(values.begin(), values.end(), seen->floats().begin()));
  scene.home->create(101, 0, kStateSize, scene.phase);
  scene.worker->open(transfer_id(3, 101), 0, kPageBytes)->writable_floats()[7] = 7;
  const auto is_gone = [&](std::uint64_t transfer) {
    return code_of([&] { scene.worker->open(transfer_id(3, transfer), 0, kPageBytes); }) == ErrorCode::store_failed;
  };
  HeldFloats held = scene.home->fetch(101, 0, kStateSize, scene.phase);
  scene.home->forget_transfers();  // fetched floats no longer belong to the transfer
  CHECK(held.floats.size() == kStateSize);
  CHECK(held.floats[7] == 7);
  CHECK_FALSE(is_gone(101));
  std::thread([&] { held.holder.reset(); }).join();
  CHECK(is_gone(101));
  scene.worker->release(transfer_id(3, 100));
  CHECK(code_of([&] { scene.worker->get(transfer_id(3, 100), std::chrono::milliseconds(0)); }) == ErrorCode::timeout);
  scene.home->create(102, 0, kStateSize, scene.phase);
  scene.home->forget_transfers();
  CHECK(is_gone(102));
  scene.home->create(103, 0, kStateSize, scene.phase);
  scene.home.reset();
  CHECK(is_gone(103));
}

TEST_CASE("a repeated put reuses its object, and a repeated place reuses its vector") {
  StateScene scene;
  scene.begin(layout_of(1), {});
  std::shared_ptr<Mapping> seen;
  for (const float first : {5.0F, 70.0F}) {
    const auto fill = [&](std::span<float> floats) { std::iota(floats.begin(), floats.end(), first); };
    scene.home->put(100, {0}, kStateSize, fill, scene.phase);
    scene.home->create(101, 0, kStateSize, scene.phase);
    if (!seen) seen = scene.worker->get(transfer_id(3, 100), kPatience);
    CHECK(seen->floats()[0] == first);
    const auto flat = scene.worker->open(transfer_id(3, 101), 0, kStateSize * sizeof(float));
    std::ranges::copy(seen->floats().first(kStateSize), flat->writable_floats().begin());
    scene.home->place(101, 0, 1, scene.phase);
    scene.worker->release(transfer_id(3, 101));
  }
  scene.worker->release(transfer_id(3, 100));
  scene.home->publish({}, scene.phase);
  CHECK(scene.read(layout_of(1), 0, 1) == 70);
  scene.home->forget_transfers();
  CHECK(code_of([&] { scene.worker->get(transfer_id(3, 100), std::chrono::milliseconds(0)); }) == ErrorCode::timeout);
}

TEST_CASE("a lent object is reused when it is free and large enough, and is freed with its generation") {
  StateScene scene;
  scene.begin(layout_of(1), {});
  const auto lend = [&](std::uint64_t transfer, std::size_t floats) {
    return scene.home->lend(transfer, 0, floats, scene.phase);
  };
  const auto fetch = [&](std::uint64_t transfer) { return scene.home->fetch(transfer, 0, 1, scene.phase).holder; };
  const auto exists = [&](std::uint64_t transfer) {
    return !code_of([&] { scene.worker->open(transfer_id(3, transfer), 0, kPageBytes); });
  };
  CHECK(lend(100, kStateSize) == 100);
  auto held = fetch(100);
  CHECK(lend(101, kStateSize) == 101);
  std::thread([&] { held.reset(); }).join();
  CHECK(lend(102, kStateSize - 1) == 100);
  fetch(100);
  CHECK(exists(100));
  CHECK(lend(103, kStateSize + kPageFloats) == 103);  // the object that is too small is freed
  CHECK_FALSE(exists(100));
  scene.home->forget_transfers();  // a failed worker may still write to this object
  CHECK_FALSE(exists(101));
  CHECK(lend(104, kStateSize) == 104);
  fetch(104);
  scene.begin(layout_of(2), {});
  CHECK_FALSE(exists(104));
}

TEST_CASE("clear sets the optimizer's vectors of one buffer to zero") {
  StateScene scene;
  const SlabLayout layout = layout_of(1);
  scene.begin(layout, {});
  for (const int vector : {0, 1})
    for (const int buffer : {0, 1}) scene.write(vector, buffer, 10);
  scene.home->clear(1, scene.phase);
  scene.home->publish({}, scene.phase);
  CHECK(scene.read(layout, 0, 1) == 10);
  CHECK(scene.read(layout, 1, 0) == 10);
  const auto mapping = scene.worker->get(layout.vector_id(1, 1), kPatience);
  const auto cleared = mapping->floats().first(kStateSize);
  CHECK(std::count(cleared.begin(), cleared.end(), 0.0F) == static_cast<std::ptrdiff_t>(kStateSize));
}
