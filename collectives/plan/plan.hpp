#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "collectives/plan/range.hpp"
#include "collectives/plan/strategy.hpp"
#include "collectives/plan/topology.hpp"

namespace troupe {

/// The input of `make_plan`, which describes how the gradients of a run are reduced.
struct PlanRequest {
  Strategy strategy = Strategy::automatic;
  bool deterministic = true;      ///< if true, gradients are added in the fixed tree over shards; if false, the
                                  ///< strategies ring and hierarchical add in ring order
  std::int32_t slice_owners = 0;  ///< for the strategy parameter-server: the number of nodes that own slices; 0: all
                                  ///< nodes
  Topology topology = {};
  bool in_pieces = false;  ///< if true, slices begin and end at the borders of the fixed pieces (`vector_pieces`)

  bool operator==(const PlanRequest&) const = default;
};

/// Describes data for one owner's slice that one lane sends to another lane. The data is sent segment by segment into a
/// window of the receiver's node.
struct Flow {
  enum class Kind : unsigned char {
    partial,      ///< the sum of the gradients of the shards `shards`, sent to the owner
    running_sum,  ///< ring order: the sum of the gradients of all members of the ring that have added their shards so
                  ///< far
    weights,      ///< the slice's new weights
  };
  Kind kind = Kind::partial;
  int owner = 0;  ///< the lane that owns the slice
  int from_lane = 0;
  int to_lane = 0;  ///< the lane that waits for the data. If it is the owner, it receives sums. Otherwise it receives
                    ///< weights, or a running sum, to which it adds its shards before it sends the sum on
  int from_node = 0;
  int to_node = 0;
  Range shards = {};  ///< for a partial sum: a complete subtree of the fixed tree

  bool operator==(const Flow&) const = default;
};

/// States which lane adds, applies and sends which data. The same request and the same vector size always give the same
/// plan. So each process computes the plan by itself.
struct Plan {
  Strategy strategy = Strategy::sharded;  ///< the strategy of the plan; never `automatic`
  bool driver_reduces = false;            ///< if true, the driver adds all gradients; otherwise each lane adds the
                                          ///< gradients for its own slice
  bool ring_order = false;  ///< if true, a running sum is sent from member to member around the ring, and each member
                            ///< adds its shards; if false, gradients are added in the fixed tree. Always false within
                            ///< one node
  bool weights_in_ring = false;  ///< if true, new weights are sent from node to node around the ring; if false, their
                                 ///< owner sends them directly to all nodes
  std::vector<Range> slices;  ///< by lane: the range of floats that the lane reduces and applies. Slices begin and end
                              ///< at page boundaries, so for small models some slices are empty
  Topology topology;
  std::vector<Flow> flows;  ///< empty if there is only one node; the flows of one owner are consecutive

  const Range& slice_of(int lane) const { return slices[static_cast<std::size_t>(lane)]; }
  /// Returns the range of floats that the slices of the consecutive lanes `lanes` cover together. `lanes` must not be
  /// empty.
  Range slice_of_lanes(const Range& lanes) const { return {slices[lanes.begin].begin, slices[lanes.end - 1].end}; }
  Range slice_of_node(int node) const { return slice_of_lanes(topology.lanes_of_node(node)); }
  /// Returns true if no lane in `lanes` applies, sends or receives anything.
  bool idle(const Range& lanes) const;
};

/// Divides the floats [0, size) into `parts` consecutive ranges, and returns the ranges. They begin and end at page
/// boundaries, and their numbers of pages differ by at most one. So some ranges may be empty.
std::vector<Range> page_slices(std::size_t size, std::size_t parts);

/// The number of fixed pieces into which a flat vector is divided to compute dot products. Because this number does not
/// depend on the number of workers, the products are added in the same order for every division of the vector into
/// slices. Pieces consist of whole pages, so some pieces of a small vector are empty.
inline constexpr std::size_t kPieces = 64;
/// Returns the kPieces pieces of a flat vector of `size` floats, as ranges of floats in ascending order.
std::vector<Range> vector_pieces(std::size_t size);
/// Divides the pieces, which are numbered 0 to kPieces-1, evenly among `owners` owners. Returns for each owner the
/// range of numbers of its pieces. If there are more owners than pieces, some ranges are empty.
std::vector<Range> pieces_of_owners(std::size_t owners);

/// Returns the plan for `request` and a flat vector of `size` floats. If the strategy is `automatic`, selects another
/// strategy.
/// @throws Error invalid_argument if the topology is invalid or does not allow the strategy
Plan make_plan(const PlanRequest& request, std::size_t size);

}  // namespace troupe
