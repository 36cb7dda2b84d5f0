#include <doctest/doctest.h>

#include <algorithm>

#include "collectives/plan.hpp"
#include "runtime/memory.hpp"
#include "support/errors.hpp"

using namespace troupe;

TEST_CASE("slices cover every float once, are cut at pages and even to a page") {
  for (const std::size_t size : {std::size_t{1}, std::size_t{7}, kPageFloats, std::size_t{4097}, std::size_t{421'642}})
    for (std::size_t parts = 1; parts <= 9; ++parts) {
      const auto slices = page_slices(size, parts);
      REQUIRE(slices.size() == parts);
      std::size_t at = 0;
      std::size_t most = 0;
      std::size_t least = size;
      for (const Range& slice : slices) {
        REQUIRE(slice.begin == at);
        REQUIRE(slice.end >= slice.begin);
        if (!slice.empty()) REQUIRE(slice.begin % kPageFloats == 0);
        at = slice.end;
        most = std::max(most, slice.size());
        least = std::min(least, slice.size());
      }
      REQUIRE(at == size);
      REQUIRE(most - least <= 2 * kPageFloats);
    }
}

TEST_CASE("devices share a slice without gap or overlap") {
  for (const Range slice : {Range{0, 10'000}, Range{4 * kPageFloats, 4 * kPageFloats + 3}, Range{5, 5}}) {
    std::size_t at = slice.begin;
    for (std::size_t device = 0; device < 3; ++device) {
      const Range part = device_part(slice, device, 3);
      CHECK(part.begin == at);
      at = part.end;
    }
    CHECK(at == slice.end);
  }
}

TEST_CASE("shards are dealt out completely, contiguously and evenly") {
  for (int shards = 1; shards <= 13; ++shards)
    for (int replicas = 1; replicas <= shards; ++replicas) {
      int next = 0;
      for (int replica = 0; replica < replicas; ++replica) {
        const auto own = shards_of(replica, replicas, shards);
        REQUIRE(static_cast<int>(own.size()) >= shards / replicas);
        REQUIRE(static_cast<int>(own.size()) <= shards / replicas + 1);
        for (const int shard : own) REQUIRE(shard == next++);
      }
      REQUIRE(next == shards);
    }
}

TEST_CASE("strategies have names") {
  CHECK(make_plan("driver", 10, 2).driver_reduces);
  CHECK_FALSE(make_plan("sharded", 10, 2).driver_reduces);
  CHECK(make_plan("sharded", 10, 2).slices == std::vector<Range>{{0, 10}, {10, 10}});
  CHECK(code_of([] { make_plan("ring", 10, 2); }) == ErrorCode::invalid_argument);
  CHECK(message_of([] { make_plan("ring", 10, 2); }).find("ring") != std::string::npos);
}
