#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <stdexcept>
#include <thread>

#include "collectives/exchange/range_parts.hpp"
#include "runtime/processes/memory.hpp"
#include "troupe/error.hpp"

using namespace troupe;

namespace {

constexpr std::size_t kMany = std::size_t{3} << 20;

void check_tiles(const Range& range, std::size_t learned_size, int threads, std::size_t count) {
  const std::vector<Range> parts = parts_of(range, learned_size, threads);
  CHECK(parts.size() == count);
  std::size_t begin = range.begin;
  for (const Range& part : parts) {
    CHECK(part.begin == begin);
    CHECK(part.begin % kPageFloats == 0);
    CHECK(part.size() + kPageFloats >= range.size() / count);
    begin = part.end;
  }
  CHECK(begin == range.end);
  CHECK(parts.back().begin <= std::max(learned_size, range.begin));
}

}  // namespace

TEST_CASE("parts tile a slice by whole pages, and statistics are in one of them") {
  check_tiles({0, kMany}, kMany, 1, 1);
  check_tiles({0, kMany}, kMany, 4, 4);
  check_tiles({kPageFloats, kMany + 7}, kMany + 7, 3, 3);
  check_tiles({kMany, 2 * kMany}, 5 * kMany, 2, 2);
  check_tiles({0, kMany + 100}, kMany, 2, 2);
  check_tiles({0, 2 * kMany}, 100, 4, 1);
  check_tiles({kMany, 2 * kMany}, 100, 4, 1);
  check_tiles({0, 1000}, 1000, 8, 1);
  check_tiles({0, 0}, 0, 8, 1);
  check_tiles({0, kMany}, kMany, 1000, 12);
}

TEST_CASE("all parts are worked on, and the first failure is told when all have ended") {
  std::atomic<int> done{0};
  work_on(7, [&](std::size_t part) { done += static_cast<int>(part); });
  CHECK(done == 21);
  std::atomic<int> ended{0};
  const auto work = [&](std::size_t part) {
    std::this_thread::sleep_for(std::chrono::milliseconds(10 * part));
    ++ended;
    if (part == 1) throw Error(ErrorCode::model_failed, "one");
    if (part == 3) throw std::runtime_error("three");
  };
  CHECK_THROWS_WITH_AS(work_on(5, work), "one", Error);
  CHECK(ended == 5);
}
