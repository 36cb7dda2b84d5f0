#include <doctest/doctest.h>

#include <algorithm>

#include "collectives/plan/plan.hpp"
#include "runtime/processes/memory.hpp"
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
  const Topology one{{0, 0}, 2};
  const Topology two{{0, 1}, 2};
  CHECK(make_plan({"driver"}, one, 10).driver_reduces);
  CHECK_FALSE(make_plan({"sharded"}, one, 10).driver_reduces);
  CHECK(make_plan({"sharded"}, one, 10).slices == std::vector<Range>{{0, 10}, {10, 10}});
  CHECK(make_plan({}, one, 10).strategy == "sharded");
  CHECK(make_plan({}, two, 10).strategy == "hierarchical");
  CHECK(code_of([&] { make_plan({"star"}, two, 10); }) == ErrorCode::invalid_argument);
  CHECK(message_of([&] { make_plan({"star"}, two, 10); }).find("'star'") != std::string::npos);
  CHECK(message_of([&] { make_plan({"star"}, two, 10); }).find("'parameter-server'") != std::string::npos);
  CHECK(message_of([&] { make_plan({"sharded"}, two, 10); }).find("'hierarchical'") != std::string::npos);
  CHECK(message_of([&] { make_plan({"driver"}, two, 10); }).find("'parameter-server'") != std::string::npos);
}
