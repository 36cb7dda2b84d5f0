#pragma once

#include <cstdint>
#include <vector>

#include "collectives/plan/range.hpp"

namespace troupe {

/// The maximum number of shards of a plan. If shards are divided into portions, the portions are counted.
inline constexpr std::int32_t kMostShards = 1'100'000;

/// States on which node each replica of a run is, and which shards it computes. A replica's number in the run is called
/// its lane: worker x devices + device.
struct Topology {
  std::vector<std::int32_t> node_of_lane;  ///< non-decreasing, starting at 0, without gaps; all 0 on one machine
  std::int32_t num_shards = 1;

  bool operator==(const Topology&) const = default;
  /// Checks the two members.
  /// @throws Error invalid_argument if there are no lanes, the lanes are not in order of their nodes, or num_shards is
  /// out of range
  void check() const;
  int num_lanes() const { return static_cast<int>(node_of_lane.size()); }
  int num_nodes() const { return node_of_lane.empty() ? 0 : node_of_lane.back() + 1; }
  int node_of(int lane) const { return node_of_lane[static_cast<std::size_t>(lane)]; }
  /// Returns the lanes on a node; an empty range if there is no such node.
  Range lanes_of_node(int node) const;
  /// Returns the shards that the lanes in `lanes` compute. Each lane has consecutive shards, as many as every other
  /// lane or one more.
  /// @throws Error invalid_argument for lanes outside the topology
  Range shards_of_lanes(const Range& lanes) const;
  Range shards_of_lane(int lane) const;
  /// Returns the lanes of the previous worker.
  /// @param lanes all lanes of one worker; the last worker counts as the previous worker of the first
  Range lanes_before(const Range& lanes) const;
  /// Takes one value per lane and returns one value per shard: the value of the lane that computes the shard.
  std::vector<std::uint64_t> by_shard(const std::vector<std::uint64_t>& by_lane) const;
  Range shards_of_node(int node) const { return shards_of_lanes(lanes_of_node(node)); }
};

}  // namespace troupe
