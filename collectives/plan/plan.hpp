#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "collectives/plan/range.hpp"
#include "collectives/plan/strategy.hpp"
#include "collectives/plan/topology.hpp"

namespace troupe {

/// How the gradients of a run are to be reduced.
struct PlanRequest {
  Strategy strategy = Strategy::automatic;
  bool deterministic = true;      ///< keep the fixed tree over shards; else ring and hierarchical may add in ring
                                  ///< order
  std::int32_t slice_owners = 0;  ///< nodes that own slices under parameter-server; 0: all
  Topology topology = {};
  bool in_pieces = false;  ///< slices are cut between the fixed pieces (`vector_pieces`)

  bool operator==(const PlanRequest&) const = default;
};

/// What one lane sends to another about the slice of an owner, segment by segment, into a window of the receiver's
/// node.
struct Flow {
  enum class Kind : unsigned char {
    partial,      ///< the sum of these `shards`, a complete subtree, to the owner
    running_sum,  ///< ring order: the sum of all shards of the members passed so far
    weights,      ///< the slice's new weights
  };
  Kind kind = Kind::partial;
  int owner = 0;  ///< the lane whose slice it is about
  int from_lane = 0;
  int to_lane = 0;  ///< who waits for it: the owner of sums; a lane of its node for weights and sums to be passed on
  int from_node = 0;
  int to_node = 0;
  Range shards = {};  ///< of a partial sum

  bool operator==(const Flow&) const = default;
};

/// Who adds, who applies and who sends what, a pure function of request and size.
struct Plan {
  Strategy strategy = Strategy::sharded;  ///< never automatic
  bool driver_reduces = false;            ///< the driver adds all gradients; else each lane adds its slice's
  bool ring_order = false;    ///< sums pass from member to member, each adding its shards, instead of the fixed tree;
                              ///< never within one node
  std::vector<Range> slices;  ///< what each lane applies; cut at pages, so small models leave some empty
  Topology topology;
  std::vector<Flow> flows;  ///< none within one node; what is about one owner lies side by side

  const Range& slice_of(int lane) const { return slices[static_cast<std::size_t>(lane)]; }
  /// The slices of at least one lane of one worker, which lie side by side.
  Range slice_of_lanes(const Range& lanes) const { return {slices[lanes.begin].begin, slices[lanes.end - 1].end}; }
  /// True when these lanes have nothing to apply, send or wait for.
  bool idle(const Range& lanes) const;
};

/// Cuts [0, size) into `parts` ranges of whole pages (but for the end), as even as pages allow, in order.
std::vector<Range> page_slices(std::size_t size, std::size_t parts);

/// The pieces of the flat vector in which its scalar products are added, whoever owns what: a multiple of pages each,
/// and of a small vector some are empty.
inline constexpr std::size_t kPieces = 64;
std::vector<Range> vector_pieces(std::size_t size);
/// The pieces that each of so many owners has, in order; of more owners than pieces some have none.
std::vector<Range> pieces_of_owners(std::size_t owners);

/// @throws Error invalid_argument for a strategy that the topology does not allow.
Plan make_plan(const PlanRequest& request, std::size_t size);

}  // namespace troupe
