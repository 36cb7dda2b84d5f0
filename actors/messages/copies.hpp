#pragma once

#include <cstdint>
#include <vector>

#include "actors/messages/failure.hpp"

// Messages about copies of the state, from which a run continues after the loss of a node. Each node copies one
// version: the weights, its own slices of the optimizer's vectors, and the slices of the node before it, for which it
// is the buddy. See docs/architecture/recovery.md.
namespace troupe {

/// A complete copy that a node offers to the driver when it joins.
struct OfferedCopy {
  std::uint64_t run = 0;     ///< CopyContents::run
  std::uint64_t number = 0;  ///< CopyContents::number
  std::int32_t holder = 0;   ///< CopyContents::holder
};
template <class F>
auto fields(OfferedCopy& x, F visit) {
  return visit(x.run, x.number, x.holder);
}

/// The reply to BeginCopy.
struct CopyBegun {
  std::uint64_t round = 0;
  Failure failure;
  /// By vector of the state: the checksum (`page_sum`) of the weights, and of the node's own slices.
  std::vector<std::uint64_t> sums;
  std::uint64_t bytes = 0;  ///< the memory that the node's copies use
};
template <class F>
auto fields(CopyBegun& x, F visit) {
  return visit(x.round, x.failure, at_most<Bound::vectors>(x.sums), x.bytes);
}

/// A request to a node: copy the weights and its own slices in the buffer `buffer`, and allow the node before it to
/// send its slices.
struct BeginCopy {
  using Reply = CopyBegun;
  std::uint64_t round = 0;
  std::uint64_t run = 0;
  std::uint64_t number = 0;  ///< greater than the numbers of all earlier copies. Odd and even numbers are kept in
                             ///< different memory, so the copy before this one stays complete
  std::int32_t buffer = 0;
};
template <class F>
auto fields(BeginCopy& x, F visit) {
  return visit(x.round, x.run, x.number, x.buffer);
}

/// A request to all nodes: send some segments of the own slices in the copy to the next node, and wait for the same
/// segments of the node before. Segments that do not exist are left out.
struct SendCopy {
  using Reply = Done;
  std::uint64_t round = 0;
  std::uint64_t number = 0;
  std::uint32_t first = 0;     ///< the number of the first segment to send
  std::uint32_t segments = 0;  ///< the number of segments to send
  std::int64_t timeout_ms = 0;
};
template <class F>
auto fields(SendCopy& x, F visit) {
  return visit(x.round, x.number, x.first, x.segments, x.timeout_ms);
}

/// The reply to EndCopy.
struct CopyEnded {
  std::uint64_t round = 0;
  Failure failure;
  /// By vector of the optimizer: the checksum of the slices that the node keeps for the node before it.
  std::vector<std::uint64_t> sums;
};
template <class F>
auto fields(CopyEnded& x, F visit) {
  return visit(x.round, x.failure, at_most<Bound::vectors>(x.sums));
}

/// A request to a node: mark the copy as complete.
struct EndCopy {
  using Reply = CopyEnded;
  std::uint64_t round = 0;
  std::uint64_t number = 0;
};
template <class F>
auto fields(EndCopy& x, F visit) {
  return visit(x.round, x.number);
}

/// A range of a vector that moves from a node's copy into the state of a node.
struct CopyPiece {
  std::int32_t vector = 0;
  std::uint64_t begin = 0;  ///< the first float of the range in the flat vector
  std::uint64_t end = 0;
  std::int32_t from = 0;  ///< the node whose copy contains the range
  std::int32_t to = 0;    ///< the node whose state the range becomes part of; may be the same node
  bool kept = false;      ///< whether the copy contains the range because `from` was the buddy of the range's owner
};
template <class F>
auto fields(CopyPiece& x, F visit) {
  return visit(x.vector, x.begin, x.end, x.from, x.to, x.kept);
}

/// A request to all nodes: allow other nodes to write the pieces that move to this node.
struct ExpectPieces {
  using Reply = Done;
  std::uint64_t round = 0;
  std::int32_t buffer = 0;
  std::vector<CopyPiece> pieces;
};
template <class F>
auto fields(ExpectPieces& x, F visit) {
  return visit(x.round, x.buffer, at_most<Bound::pieces>(x.pieces));
}

/// The reply to MovePieces.
struct PiecesMoved {
  std::uint64_t round = 0;
  Failure failure;
  std::vector<std::uint64_t> sums;  ///< the checksums of the pieces that have moved to this node, in order
};
template <class F>
auto fields(PiecesMoved& x, F visit) {
  return visit(x.round, x.failure, at_most<Bound::pieces>(x.sums));
}

/// A request to all nodes, after ExpectPieces: send the pieces that move from this node, and wait for the pieces that
/// move to it.
struct MovePieces {
  using Reply = PiecesMoved;
  std::uint64_t round = 0;
  std::uint64_t run = 0;
  std::uint64_t number = 0;  ///< the number of the copy
  std::int64_t timeout_ms = 0;
};
template <class F>
auto fields(MovePieces& x, F visit) {
  return visit(x.round, x.run, x.number, x.timeout_ms);
}

/// A request to a node: discard all copies, because the run ends.
struct DropCopies {
  using Reply = Done;
  std::uint64_t round = 0;
};
template <class F>
auto fields(DropCopies& x, F visit) {
  return visit(x.round);
}

}  // namespace troupe
