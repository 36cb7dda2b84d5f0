#include <doctest/doctest.h>

#include <atomic>
#include <chrono>
#include <stdexcept>
#include <thread>
#include <vector>

#include "models/data/last_used.hpp"

using namespace troupe;

namespace {

using Cache = LastUsed<int, int>;

std::shared_ptr<const int> number(int value) { return std::make_shared<const int>(value); }

}  // namespace

TEST_CASE("an object that was prefetched is finished by the request for it, once") {
  Cache cache(100);
  int started = 0;
  int finished = 0;
  const auto start = [&]() -> Cache::Make {
    ++started;
    return [&] {
      ++finished;
      return number(7);
    };
  };
  cache.prefetch(1, 10, start);
  cache.prefetch(1, 10, start);
  CHECK(started == 1);
  CHECK(finished == 0);
  const auto make = [] { return number(0); };
  CHECK(*cache.get(1, 10, make) == 7);
  CHECK(*cache.get(1, 10, make) == 7);
  CHECK(finished == 1);
}

TEST_CASE("prefetched objects take at most half of the cache, and do not displace each other") {
  Cache cache(100);
  int started = 0;
  const auto start = [&]() -> Cache::Make { return [value = ++started] { return number(value); }; };
  for (int key = 0; key < 10; ++key) cache.prefetch(key, 25, start);
  CHECK(started == 2);
  const auto make = [] { return number(-1); };
  CHECK(*cache.get(0, 25, make) == 1);
  cache.prefetch(2, 25, start);  // the request has made room
  CHECK(started == 3);
  CHECK(*cache.get(1, 25, make) == 2);
  CHECK(*cache.get(2, 25, make) == 3);
  CHECK(*cache.get(3, 25, make) == -1);
}

TEST_CASE("all who wait for an object get its error, and a later request tries again") {
  Cache cache(100);
  std::atomic<int> tries = 0;
  const auto fail = [&]() -> std::shared_ptr<const int> {
    ++tries;
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    throw std::runtime_error("no answer");
  };
  {
    std::vector<std::jthread> waiting;
    for (int i = 0; i < 4; ++i)
      waiting.emplace_back([&] { CHECK_THROWS_AS(cache.get(1, 10, fail), std::runtime_error); });
  }
  CHECK(tries <= 4);
  CHECK(*cache.get(1, 10, [] { return number(5); }) == 5);
}
