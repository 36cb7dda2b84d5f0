#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "collectives/plan/tree.hpp"

namespace troupe {

/// A range of the flat vectors, in floats.
struct Range {
  std::size_t begin = 0;
  std::size_t end = 0;

  std::size_t size() const { return end - begin; }
  bool empty() const { return begin >= end; }
  bool operator==(const Range&) const = default;
};

/// Lanes [first, first + count).
struct Lanes {
  int first = 0;
  int count = 0;
};

/// Where the replicas ("lanes": worker x device, in order) of a run live.
struct Topology {
  std::vector<int> node_of_lane;  ///< never decreasing, from 0, without gaps; all 0 on one machine
  int num_shards = 1;             ///< dealt out by `shards_of(lane, lanes, num_shards)`

  int num_lanes() const { return static_cast<int>(node_of_lane.size()); }
  int num_nodes() const { return node_of_lane.empty() ? 0 : node_of_lane.back() + 1; }
  Lanes lanes_of_node(int node) const;
};

/// How the gradients are to be reduced.
struct PlanOptions {
  std::string strategy = "auto";  ///< auto, sharded, driver, hierarchical, ring or parameter-server
  bool deterministic = true;      ///< keep the fixed tree over shards; else ring and hierarchical may add in ring order
  int parameter_servers = 0;      ///< nodes that own slices under parameter-server; 0: all
};

/// What one lane sends to another about the slice of an owner, segment by segment, into a window of the receiver's
/// node.
struct Flow {
  enum class Kind : unsigned char {
    partial,      ///< the sum of shards [first_shard, end_shard), a complete subtree, to the owner
    running_sum,  ///< ring order: the sum of all shards of the members passed so far
    weights,      ///< the slice's new weights
  };
  Kind kind = Kind::partial;
  int owner = 0;  ///< the lane whose slice it is about
  int from_lane = 0;
  int to_lane = 0;  ///< who waits for it: the owner of sums; a lane of its node for weights and sums to be passed on
  int from_node = 0;
  int to_node = 0;
  int first_shard = 0;  ///< of a partial sum
  int end_shard = 0;

  bool operator==(const Flow&) const = default;
};

/// Who adds, who applies and who sends what, a pure function of options, topology and size.
struct Plan {
  std::string strategy;         ///< never "auto"
  bool deterministic = true;    ///< whether the fixed tree is kept
  bool driver_reduces = false;  ///< the driver adds all gradients; else each lane adds its slice's
  std::vector<Range> slices;    ///< what each lane applies; cut at pages, so small models leave some empty
  Topology topology;
  bool ring_order = false;  ///< sums pass from member to member, each adding its shards; never within one node
  std::vector<Flow> flows;  ///< none within one node; what is about one owner lies side by side

  /// The shards of lane `lane`: [begin, end).
  Leaves shards_of_lane(int lane) const;
  /// The shards of all lanes of `node`.
  Leaves shards_of_node(int node) const;
  /// The slices of lanes [first, first + count) of one worker, which lie side by side.
  Range slice_of_lanes(int first, int count) const;
  /// True when these lanes have nothing to apply, send or wait for.
  bool idle(int first, int count) const;
};

/// Cuts [0, size) into `parts` ranges of whole pages (but for the end), as even as pages allow, in order.
std::vector<Range> page_slices(std::size_t size, std::size_t parts);

/// The part of `slice` that the device's thread works on, of `devices`; cut at pages as well.
Range device_part(const Range& slice, std::size_t device, std::size_t devices);

/// @throws Error invalid_argument for an unknown strategy, or one that the topology does not allow.
Plan make_plan(const PlanOptions& options, const Topology& topology, std::size_t size);

/// The shards of replica `replica` of `num_replicas`: contiguous and as even as they go.
std::vector<int> shards_of(int replica, int num_replicas, int num_shards);

}  // namespace troupe
