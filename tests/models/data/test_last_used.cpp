#include <doctest/doctest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <thread>
#include <vector>

#include "models/data/last_used.hpp"
#include "support/patience.hpp"
#include "troupe/error.hpp"

using namespace troupe;

namespace {

using Cache = LastUsed<int, int>;

std::shared_ptr<const int> number(int value) { return std::make_shared<const int>(value); }

/// A key that counts in `compared` how often keys are compared.
struct CountedKey {
  int key = 0;
  std::atomic<int>* compared = nullptr;

  friend bool operator==(const CountedKey& left, const CountedKey& right) {
    ++*left.compared;
    return left.key == right.key;
  }
};

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

TEST_CASE("prefetched objects displace released ones, but neither each other nor those in use") {
  Cache cache(100);
  int started = 0;
  const auto start = [&]() -> Cache::Make { return [value = ++started] { return number(value); }; };
  const auto make = [] { return number(-1); };
  for (int key = 0; key < 3; ++key) CHECK(*cache.get(key, 25, make) == -1);
  for (int key = 10; key < 13; ++key) cache.prefetch(key, 25, start);
  CHECK(started == 1);
  CHECK(cache.peek(0));
  cache.release(0);
  cache.release(7);  // not in the cache
  cache.prefetch(11, 25, start);
  CHECK(started == 2);
  CHECK_FALSE(cache.peek(0));
  CHECK(cache.peek(1));
  CHECK(cache.peek(2));
  CHECK_FALSE(cache.peek(11));  // not finished
  cache.release(1);
  cache.prefetch(1, 25, start);  // is needed again
  cache.prefetch(12, 25, start);
  CHECK(started == 2);
  CHECK(*cache.get(10, 25, make) == 1);
  CHECK(*cache.get(11, 25, make) == 2);
}

TEST_CASE("an object whose early start timed out is made again, and other errors are final") {
  Cache cache(100);
  const auto fails_with = [](ErrorCode code) {
    return [code]() -> Cache::Make { return [code]() -> std::shared_ptr<const int> { throw Error(code, "no"); }; };
  };
  const auto make = [] { return number(5); };
  cache.prefetch(1, 10, fails_with(ErrorCode::timeout));
  CHECK(*cache.get(1, 10, make) == 5);
  cache.prefetch(2, 10, fails_with(ErrorCode::bad_file));
  CHECK_THROWS_AS(cache.get(2, 10, make), Error);
  CHECK_THROWS_AS(cache.prefetch(3, 10, []() -> Cache::Make { throw std::runtime_error("no thread"); }),
                  std::runtime_error);
  CHECK(*cache.get(3, 10, make) == 5);
}

TEST_CASE("a child made by fork does not wait for what its parent has started") {
  Cache cache(100);
  // Outside of tests, the prefetched function waits for a thread, which only the parent has.
  cache.prefetch(1, 10, []() -> Cache::Make { return [] { return number(4); }; });
  const pid_t child = ::fork();
  if (child == 0) std::_Exit(*cache.get(1, 10, [] { return number(5); }) == 5 ? 0 : 1);
  int status = -1;
  CHECK(::waitpid(child, &status, 0) == child);
  CHECK(status == 0);
}

TEST_CASE("all who wait for an object get its error, and a later request tries again") {
  constexpr int kCallers = 4;
  LastUsed<CountedKey, int> cache(100);
  std::atomic<int> compared = 0;
  std::atomic<int> tries = 0;
  const CountedKey key{1, &compared};
  const auto fail = [&]() -> std::shared_ptr<const int> {
    ++tries;
    // Each of the other callers finds the object by one comparison. The cache cannot drop the object before such a
    // caller holds it, so all of them wait for this call.
    CHECK(troupe_test::comes_true([&] { return compared >= kCallers - 1; }));
    throw Error(ErrorCode::bad_file, "no answer");
  };
  {
    std::vector<std::jthread> waiting;
    for (int i = 0; i < kCallers; ++i) waiting.emplace_back([&] { CHECK_THROWS_AS(cache.get(key, 10, fail), Error); });
  }
  CHECK(tries == 1);
  CHECK(*cache.get(key, 10, [] { return number(5); }) == 5);
}
