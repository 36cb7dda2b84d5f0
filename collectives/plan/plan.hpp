#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "collectives/plan/range.hpp"
#include "collectives/plan/strategy.hpp"
#include "collectives/plan/topology.hpp"

namespace troupe {

/// The input of `make_plan`: how the gradients of a run are reduced.
struct PlanRequest {
  Strategy strategy = Strategy::automatic;
  bool deterministic = true;      ///< if true, add in the fixed tree over shards; if false, ring and hierarchical add
                                  ///< in ring order
  std::int32_t slice_owners = 0;  ///< number of nodes that own slices, for the strategy parameter-server; 0: all nodes
  Topology topology = {};
  bool in_pieces = false;  ///< if true, slices are cut only at the borders of the fixed pieces (`vector_pieces`)

  bool operator==(const PlanRequest&) const = default;
};

/// Describes data that one lane sends to another and that belongs to one owner's slice. The data travels segment by
/// segment into a window of the receiver's node.
struct Flow {
  enum class Kind : unsigned char {
    partial,      ///< the sum of the gradients of `shards`, sent to the owner
    running_sum,  ///< ring order: the sum of the gradients of all members that the running sum has passed so far
    weights,      ///< the slice's new weights
  };
  Kind kind = Kind::partial;
  int owner = 0;  ///< the lane that owns the slice
  int from_lane = 0;
  int to_lane = 0;  ///< the lane that waits for the data: the owner finishes sums; any other lane receives weights, or
                    ///< adds its shards to a running sum and passes the sum on
  int from_node = 0;
  int to_node = 0;
  Range shards = {};  ///< for a partial sum: a complete subtree of the fixed tree

  bool operator==(const Flow&) const = default;
};

/// States which lane adds, applies and sends which data. The same request and size always give the same plan, so each
/// process computes the plan itself.
struct Plan {
  Strategy strategy = Strategy::sharded;  ///< never automatic
  bool driver_reduces = false;            ///< if true, the driver adds all gradients; otherwise each lane adds its own
                                          ///< slice
  bool ring_order = false;    ///< if true, a running sum passes from member to member and each adds its shards; if
                              ///< false, sums are added in the fixed tree. Always false within one node
  std::vector<Range> slices;  ///< by lane: the range of floats that the lane reduces and applies. Slices are cut at
                              ///< page boundaries, so for small models some slices are empty
  Topology topology;
  std::vector<Flow> flows;  ///< empty if there is only one node; the flows of one owner are consecutive

  const Range& slice_of(int lane) const { return slices[static_cast<std::size_t>(lane)]; }
  /// Returns the range of floats that the slices of consecutive lanes cover together. `lanes` must contain at least one
  /// lane, and lanes of one worker only.
  Range slice_of_lanes(const Range& lanes) const { return {slices[lanes.begin].begin, slices[lanes.end - 1].end}; }
  /// Returns true if no lane in `lanes` has anything to apply, to send or to wait for.
  bool idle(const Range& lanes) const;
};

/// Divides [0, size) into `parts` consecutive ranges of sizes as equal as possible, and returns them. The ranges are
/// cut at page boundaries, so some may be empty.
std::vector<Range> page_slices(std::size_t size, std::size_t parts);

/// The number of fixed pieces into which a flat vector is divided for computing dot products. It does not depend on the
/// number of workers, so the products are added in the same order for every division into slices. Pieces consist of
/// whole pages, so some pieces of a small vector are empty.
inline constexpr std::size_t kPieces = 64;
/// Returns the kPieces pieces of a flat vector of `size` floats: ranges of floats, in order.
std::vector<Range> vector_pieces(std::size_t size);
/// Divides the numbers of the pieces, 0..kPieces-1, evenly among `owners` owners, and returns each owner's range. If
/// there are more owners than pieces, some ranges are empty.
std::vector<Range> pieces_of_owners(std::size_t owners);

/// Returns the plan for a flat vector of `size` floats. Replaces the strategy `automatic` by another one.
/// @throws Error invalid_argument if the topology is invalid or does not allow the strategy
Plan make_plan(const PlanRequest& request, std::size_t size);

}  // namespace troupe
