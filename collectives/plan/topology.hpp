#pragma once

#include <cstdint>
#include <vector>

#include "collectives/plan/range.hpp"

namespace troupe {

/// Of a run, or portions of its data.
inline constexpr std::int32_t kMostShards = 1'100'000;

/// Where the replicas ("lanes": worker x device, in order) of a run live, and which shards they have.
struct Topology {
  std::vector<std::int32_t> node_of_lane;  ///< never decreasing, from 0, without gaps; all 0 on one machine
  std::int32_t num_shards = 1;

  bool operator==(const Topology&) const = default;
  /// @throws Error invalid_argument unless there are lanes, in order of their nodes, and shards.
  void check() const;
  int num_lanes() const { return static_cast<int>(node_of_lane.size()); }
  int num_nodes() const { return node_of_lane.empty() ? 0 : node_of_lane.back() + 1; }
  int node_of(int lane) const { return node_of_lane[static_cast<std::size_t>(lane)]; }
  /// Empty where there is no such node.
  Range lanes_of_node(int node) const;
  /// Shards are dealt out to lanes contiguously and as evenly as they go.
  /// @throws Error invalid_argument for lanes that the topology does not have.
  Range shards_of_lanes(const Range& lanes) const;
  Range shards_of_lane(int lane) const;
  /// The lanes of the worker before the one that has these; before the first comes the last.
  Range lanes_before(const Range& lanes) const;
  /// What is known by lane, by shard.
  std::vector<std::uint64_t> by_shard(const std::vector<std::uint64_t>& by_lane) const;
  Range shards_of_node(int node) const { return shards_of_lanes(lanes_of_node(node)); }
};

}  // namespace troupe
