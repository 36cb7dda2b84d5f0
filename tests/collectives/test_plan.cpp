#include <doctest/doctest.h>

#include <algorithm>

#include "collectives/plan/plan.hpp"
#include "runtime/processes/memory.hpp"
#include "support/errors.hpp"

using namespace troupe;

TEST_CASE("slices cover every float once, end at page boundaries and differ by at most one page") {
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

TEST_CASE("every shard has one lane, and lanes have contiguous and even ranges of shards") {
  for (std::size_t shards = 1; shards <= 13; ++shards)
    for (std::size_t lanes = 1; lanes <= shards; ++lanes) {
      const Topology topology{std::vector<std::int32_t>(lanes), static_cast<std::int32_t>(shards)};
      std::size_t next = 0;
      for (int lane = 0; lane < topology.num_lanes(); ++lane) {
        const Range own = topology.shards_of_lane(lane);
        REQUIRE(own.begin == next);
        REQUIRE(own.size() >= shards / lanes);
        REQUIRE(own.size() <= shards / lanes + 1);
        next = own.end;
      }
      REQUIRE(next == shards);
    }
}

TEST_CASE("a node has the shards of its lanes, and a node without lanes has no shards") {
  const Topology topology{{0, 0, 1, 2, 2, 2}, 7};
  CHECK(topology.lanes_of_node(2) == Range{3, 6});
  CHECK(topology.shards_of_node(0) == Range{0, 2});
  CHECK(topology.shards_of_node(1) == Range{2, 3});
  CHECK(topology.shards_of_node(2) == Range{3, 7});
  CHECK(topology.shards_of_node(3).empty());
  CHECK(topology.by_shard({1, 2, 3, 4, 5, 6}) == std::vector<std::uint64_t>{1, 2, 3, 4, 5, 6, 6});
  CHECK(code_of([&] { (void)topology.by_shard({1, 2}); }) == ErrorCode::invalid_argument);
  for (const Range lanes : {Range{0, 7}, Range{6, 7}, Range{4, 3}})
    CHECK(code_of([&] { (void)topology.shards_of_lanes(lanes); }) == ErrorCode::invalid_argument);
  CHECK(code_of([] { (void)Topology{}.shards_of_lanes({0, 0}); }) == ErrorCode::invalid_argument);
}

TEST_CASE("strategies have names") {
  for (const char* name : kStrategyNames) CHECK(to_string(strategy_of(name)) == std::string(name));
  CHECK(to_string(static_cast<Strategy>(kStrategyNames.size())) == std::string("unknown"));
  CHECK(code_of([] { strategy_of("star"); }) == ErrorCode::invalid_argument);
  const std::string message = message_of([] { strategy_of("star"); });
  CHECK(message.find("'star'") != std::string::npos);
  for (const char* name : kStrategyNames) CHECK(message.find('\'' + std::string(name) + '\'') != std::string::npos);
}

TEST_CASE("a strategy works either on one machine or among nodes") {
  const Topology one{{0, 0}, 2};
  const Topology two{{0, 1}, 2};
  const auto plan = [](Strategy strategy, const Topology& topology) {
    return make_plan({.strategy = strategy, .topology = topology}, 10);
  };
  CHECK(plan(Strategy::driver, one).driver_reduces);
  CHECK_FALSE(plan(Strategy::sharded, one).driver_reduces);
  CHECK(plan(Strategy::sharded, one).slices == std::vector<Range>{{0, 10}, {10, 10}});
  CHECK(plan(Strategy::automatic, one).strategy == Strategy::sharded);
  CHECK(plan(Strategy::automatic, two).strategy == Strategy::hierarchical);
  CHECK(message_of([&] { plan(Strategy::sharded, two); }).find("'hierarchical'") != std::string::npos);
  CHECK(message_of([&] { plan(Strategy::driver, two); }).find("'parameter-server'") != std::string::npos);
}
