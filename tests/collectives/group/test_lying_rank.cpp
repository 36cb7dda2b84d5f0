#include <doctest/doctest.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <optional>
#include <thread>
#include <vector>

#include "collectives/group/shared_barrier.hpp"
#include "collectives/group/shared_communicator.hpp"
#include "runtime/random.hpp"
#include "runtime/store/object_store.hpp"
#include "troupe/group.hpp"

// Tests a hostile member. It has a valid certificate, so it has the group's memory, and writes arbitrary values to it.
using namespace troupe;
using std::chrono::milliseconds;

namespace {

constexpr int kHonest = 3;

/// Writes random words to the memory where ranks meet, until the destructor stops it.
class Liar {
 public:
  Liar(ObjectStore& store, const ObjectId& id, std::uint64_t seed)
      : client_(store.connect()), id_(id), thread_([this, seed] { lie(Random(seed, 0)); }) {}
  ~Liar() {
    ended_ = true;
    thread_.join();
  }
  Liar(const Liar&) = delete;
  Liar& operator=(const Liar&) = delete;

 private:
  std::shared_ptr<Mapping> open() {
    while (!ended_) try {
        return client_->open(id_, 0, SharedBarrier::bytes(kHonest));
      } catch (const Error&) {  // the object does not exist yet
        std::this_thread::yield();
      }
    return nullptr;
  }

  void lie(Random random) {
    const auto mapping = open();
    if (!mapping) return;
    auto* const words = reinterpret_cast<std::uint32_t*>(mapping->writable_floats().data());
    const std::uint64_t count = SharedBarrier::bytes(kHonest) / sizeof(std::uint32_t);
    // Ranks wait for words at the beginning of the memory, so these are hit often.
    const std::uint64_t often = std::min<std::uint64_t>(count, 2048);
    while (!ended_) {
      const std::uint64_t at = random.below(random.below(2) == 0 ? often : count);
      const std::uint64_t small = random.below(4);
      std::atomic_ref(words[at]).store(static_cast<std::uint32_t>(small < 3 ? small : random.below(1ULL << 32)));
      if (random.below(64) == 0) std::this_thread::sleep_for(milliseconds(1));
    }
  }

  std::shared_ptr<StoreClient> client_;
  ObjectId id_;
  std::atomic<bool> ended_{false};
  std::thread thread_;
};

/// Returns the number of collectives that an honest rank has completed.
[[maybe_unused]] int take_part(ObjectStore& store, const ObjectId& id, int rank) try {
  int done = 0;
  const auto communicator = std::make_shared<SharedCommunicator>(
      std::shared_ptr<StoreClient>(store.connect()),
      SharedCommunicator::Place{id, rank, kHonest, {rank, "node"}, milliseconds(50)});
  Group group(communicator);
  std::vector<float> values(100'000, 1);
  try {
    for (; done < 6; ++done) {
      const std::span<float> some(values.data(), done % 2 == 0 ? 10 : values.size());
      if (done == 5) group.barrier();
      group.all_reduce(std::span<const float>(some), some, ReduceOp::sum);
    }
  } catch (const Error& error) {
    CHECK(error.message().size() < 2000);
    CHECK(error.message().find('\n') == std::string::npos);
  }
  communicator->leave(ErrorCode::model_failed, "has ended");
  return done;
} catch (const Error& error) {  // the group has not formed
  CHECK(error.message().size() < 2000);
  return 0;
}

}  // namespace

TEST_CASE("a rank that writes false values to the group's memory causes only errors, within the timeout") {
#ifndef __SANITIZE_THREAD__  // a data race by design
  int done = 0;
  for (std::uint64_t round = 1; round <= 40; ++round) {
    CAPTURE(round);
    ObjectStore store;
    const ObjectId id{.run = round, .kind = ObjectKind::group};
    const std::optional<Liar> liar(std::in_place, store, id, round);
    std::vector<std::thread> honest;
    std::atomic<int> all{0};
    for (int rank = 0; rank < kHonest; ++rank) honest.emplace_back([&, rank] { all += take_part(store, id, rank); });
    for (std::thread& each : honest) each.join();  // if a rank hangs, the timeout of the test ends it
    done += all;
  }
  CHECK(done > 0);  // at least one group has formed
  MESSAGE(done << " of " << 40 * kHonest * 6 << " collectives succeeded");
#endif
}
