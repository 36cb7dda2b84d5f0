#include <doctest/doctest.h>

#include <algorithm>

#include "collectives/exchange/range_parts.hpp"
#include "runtime/processes/memory.hpp"

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

TEST_CASE("parts tile a slice in whole pages, and all statistics are in one part") {
  check_tiles({0, kMany}, kMany, 1, 1);
  check_tiles({0, kMany}, kMany, 4, 4);
  check_tiles({kPageFloats, kMany + 7}, kMany + 7, 3, 3);
  check_tiles({kMany, 2 * kMany}, 5 * kMany, 2, 2);
  check_tiles({0, kMany + 100}, kMany, 2, 2);
  check_tiles({0, 2 * kMany}, 100, 4, 1);
  check_tiles({kMany, 2 * kMany}, 100, 4, 1);
  check_tiles({0, 1000}, 1000, 8, 1);
  check_tiles({0, 0}, 0, 8, 1);
  check_tiles({0, kMany}, kMany, 1000, 48);
}
