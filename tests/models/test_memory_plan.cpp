#include <doctest/doctest.h>

#include <algorithm>
#include <set>

#include "models/cpu/memory/arena.hpp"
#include "models/devices/memory_plan.hpp"
#include "runtime/random.hpp"

using namespace troupe;
using namespace troupe::cpu;

namespace {

std::vector<Lifetime> random_lifetimes(std::uint64_t seed) {
  Random random(seed);
  std::vector<Lifetime> lifetimes;
  for (int i = 0; i < 40; ++i) {
    const int first = static_cast<int>(random.below(50));
    lifetimes.push_back({random.below(5000), first, first + static_cast<int>(random.below(20))});
  }
  return lifetimes;
}

bool alive_at(const Lifetime& buffer, int time) { return buffer.first <= time && time <= buffer.last; }

/// Returns whether both are in use at some time.
bool alive_together(const Lifetime& a, const Lifetime& b) {
  for (int time = 0; time < 80; ++time)
    if (alive_at(a, time) && alive_at(b, time)) return true;
  return false;
}

/// Returns the bytes alive at the busiest time, a lower bound for any plan.
std::size_t most_alive(const std::vector<Lifetime>& lifetimes) {
  std::size_t most = 0;
  for (int time = 0; time < 80; ++time) {
    std::size_t sum = 0;
    for (const Lifetime& each : lifetimes)
      if (alive_at(each, time)) sum += each.bytes;
    most = std::max(most, sum);
  }
  return most;
}

}  // namespace

TEST_CASE("buffers that are alive at the same time are disjoint, 64-byte aligned and compact") {
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    const std::vector<Lifetime> lifetimes = random_lifetimes(seed);
    const MemoryPlan plan = plan_memory(lifetimes);
    REQUIRE(plan.offsets.size() == lifetimes.size());
    for (std::size_t i = 0; i < lifetimes.size(); ++i) {
      CHECK(plan.offsets[i] % 64 == 0);
      CHECK(plan.offsets[i] + lifetimes[i].bytes <= plan.bytes);
      for (std::size_t j = 0; j < i; ++j) {
        if (!alive_together(lifetimes[i], lifetimes[j])) continue;
        const bool apart = plan.offsets[i] + lifetimes[i].bytes <= plan.offsets[j] ||
                           plan.offsets[j] + lifetimes[j].bytes <= plan.offsets[i];
        CHECK(apart);
      }
    }
    CHECK(plan.bytes < most_alive(lifetimes) * 3 / 2);
  }
}

TEST_CASE("buffers that are alive one after the other share memory") {
  const std::vector<Lifetime> lifetimes{{1000, 0, 1}, {900, 2, 3}, {800, 4, 4}};
  const MemoryPlan plan = plan_memory(lifetimes);
  CHECK(plan.offsets == std::vector<std::size_t>{0, 0, 0});
  CHECK(plan.bytes == 1024);
}

TEST_CASE("no buffers need no memory") { CHECK(plan_memory({}).bytes == 0); }

TEST_CASE("arenas in use are disjoint, and a free arena is reused") {
  ArenaPool pool;
  std::byte* first = nullptr;
  {
    const Arena a(pool, 1000);
    const Arena b(pool, 1000);
    CHECK(a.data() != b.data());
    first = b.data();
  }
  const Arena c(pool, 500);
  const Arena d(pool, 500);
  CHECK(std::set{c.data(), d.data()}.contains(first));
}

TEST_CASE("a larger block replaces a smaller free block") {
  constexpr std::size_t kLarge = std::size_t{1} << 23;
  ArenaPool pool;
  pool.give_back(pool.take(100));
  pool.give_back(pool.take(kLarge));
  CHECK(pool.take(50).bytes() == kLarge);  // otherwise the small block would be returned
}

TEST_CASE("the memory pool of the process is destroyed with its last holder") {
  const std::weak_ptr<ArenaPool> watched = ArenaPool::shared();
  CHECK(watched.expired());
  const auto held = ArenaPool::shared();
  CHECK(held == ArenaPool::shared());
}
