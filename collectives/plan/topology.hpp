#pragma once

#include <cstdint>
#include <vector>

#include "collectives/plan/range.hpp"

namespace troupe {

/// The maximum number of shards of a run, and of portions of its data.
inline constexpr std::int32_t kMostShards = 1'100'000;

/// The nodes on which the replicas of a run live, and the shards of each replica. A replica is a "lane": worker x
/// device, in order.
struct Topology {
  std::vector<std::int32_t> node_of_lane;  ///< non-decreasing, from 0, without gaps; all 0 on one machine
  std::int32_t num_shards = 1;

  bool operator==(const Topology&) const = default;
  /// @throws Error invalid_argument if there are no lanes, the lanes are not in order of their nodes, or num_shards is
  /// out of range
  void check() const;
  int num_lanes() const { return static_cast<int>(node_of_lane.size()); }
  int num_nodes() const { return node_of_lane.empty() ? 0 : node_of_lane.back() + 1; }
  int node_of(int lane) const { return node_of_lane[static_cast<std::size_t>(lane)]; }
  /// Returns an empty range if there is no such node.
  Range lanes_of_node(int node) const;
  /// Returns the shards of some lanes. Shards are distributed over lanes contiguously and as evenly as possible.
  /// @throws Error invalid_argument for lanes outside the topology
  Range shards_of_lanes(const Range& lanes) const;
  Range shards_of_lane(int lane) const;
  /// Returns the lanes of the worker before the worker with these lanes. The last worker is before the first.
  Range lanes_before(const Range& lanes) const;
  /// Returns one value per shard from one value per lane.
  std::vector<std::uint64_t> by_shard(const std::vector<std::uint64_t>& by_lane) const;
  Range shards_of_node(int node) const { return shards_of_lanes(lanes_of_node(node)); }
};

}  // namespace troupe
