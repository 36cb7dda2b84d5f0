#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "collectives/plan/range.hpp"
#include "collectives/plan/strategy.hpp"
#include "collectives/plan/topology.hpp"

namespace troupe {

/// How the gradients of a run are reduced.
struct PlanRequest {
  Strategy strategy = Strategy::automatic;
  bool deterministic = true;      ///< keep the fixed tree over shards; if false, ring and hierarchical may add in ring
                                  ///< order
  std::int32_t slice_owners = 0;  ///< number of nodes that own slices with parameter-server; 0: all
  Topology topology = {};
  bool in_pieces = false;  ///< divide the vector between the fixed pieces (`vector_pieces`)

  bool operator==(const PlanRequest&) const = default;
};

/// Data that one lane sends to another about the slice of an owner. The data travels segment by segment, into a window
/// of the receiver's node.
struct Flow {
  enum class Kind : unsigned char {
    partial,      ///< the sum of `shards`, a complete subtree, sent to the owner
    running_sum,  ///< ring order: the sum of all shards of the members passed so far
    weights,      ///< the slice's new weights
  };
  Kind kind = Kind::partial;
  int owner = 0;  ///< the lane that owns the slice
  int from_lane = 0;
  int to_lane = 0;  ///< the lane that waits: the owner for sums; another lane of the node for weights and for sums to
                    ///< pass on
  int from_node = 0;
  int to_node = 0;
  Range shards = {};  ///< for a partial sum

  bool operator==(const Flow&) const = default;
};

/// Which lane adds, applies and sends which data. A deterministic function of the request and the vector's size.
struct Plan {
  Strategy strategy = Strategy::sharded;  ///< never automatic
  bool driver_reduces = false;            ///< the driver adds all gradients; otherwise each lane adds its own slice
  bool ring_order = false;    ///< sums pass from member to member, and each adds its shards, instead of the fixed tree;
                              ///< always false within one node
  std::vector<Range> slices;  ///< by lane: the floats that the lane applies; cut at pages, so some are empty for small
                              ///< models
  Topology topology;
  std::vector<Flow> flows;  ///< empty within one node; the flows of one owner are consecutive

  const Range& slice_of(int lane) const { return slices[static_cast<std::size_t>(lane)]; }
  /// Returns the range of the slices of consecutive lanes. There must be at least one lane, all of one worker.
  Range slice_of_lanes(const Range& lanes) const { return {slices[lanes.begin].begin, slices[lanes.end - 1].end}; }
  /// Returns true if these lanes have nothing to apply, send or wait for.
  bool idle(const Range& lanes) const;
};

/// Divides [0, size) into `parts` consecutive ranges of whole pages (except at the end), of sizes as equal as possible.
std::vector<Range> page_slices(std::size_t size, std::size_t parts);

/// Number of pieces in which the dot products of flat vectors are added, for every distribution of slices. Each piece
/// is a multiple of a page, so some pieces of a small vector are empty.
inline constexpr std::size_t kPieces = 64;
std::vector<Range> vector_pieces(std::size_t size);
/// Returns the pieces of each owner, in order. If there are more owners than pieces, some owners have none.
std::vector<Range> pieces_of_owners(std::size_t owners);

/// @throws Error invalid_argument if the topology does not allow the strategy
Plan make_plan(const PlanRequest& request, std::size_t size);

}  // namespace troupe
