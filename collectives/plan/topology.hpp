#pragma once

#include <cstdint>
#include <vector>

#include "collectives/plan/range.hpp"

namespace troupe {

/// The maximum number of shards of a plan. If shards are divided into portions, the number of portions is limited
/// instead.
inline constexpr std::int32_t kMostShards = 1'100'000;

/// States on which node each replica of a run is, and which shards the replica computes. The number of a replica in the
/// run is called its lane: worker's rank x devices per worker + device.
struct Topology {
  std::vector<std::int32_t> node_of_lane;  ///< by lane: the number of its node. The numbers start at 0, do not
                                           ///< decrease, and have no gaps; all are 0 on one machine
  std::int32_t num_shards = 1;

  bool operator==(const Topology&) const = default;
  /// Checks both members of this struct.
  /// @throws Error invalid_argument if there are no lanes, the lanes are not in order of their nodes, or num_shards is
  /// out of range
  void check() const;
  int num_lanes() const { return static_cast<int>(node_of_lane.size()); }
  int num_nodes() const { return node_of_lane.empty() ? 0 : node_of_lane.back() + 1; }
  int node_of(int lane) const { return node_of_lane[static_cast<std::size_t>(lane)]; }
  /// Returns the lanes on node `node`; an empty range if there is no node with this number.
  Range lanes_of_node(int node) const;
  /// Returns the shards that the lanes `lanes` compute. Each lane computes consecutive shards, and the numbers of
  /// shards of two lanes differ by at most one.
  /// @throws Error invalid_argument if a lane in `lanes` does not exist
  Range shards_of_lanes(const Range& lanes) const;
  Range shards_of_lane(int lane) const;
  /// Returns the lanes of the worker before the worker with the lanes `lanes`. The worker before the first worker is
  /// the last worker.
  /// @param lanes all lanes of one worker
  Range lanes_before(const Range& lanes) const;
  /// Takes one value per lane, and returns one value per shard: the value of the lane that computes the shard.
  std::vector<std::uint64_t> by_shard(const std::vector<std::uint64_t>& by_lane) const;
  Range shards_of_node(int node) const { return shards_of_lanes(lanes_of_node(node)); }
};

}  // namespace troupe
