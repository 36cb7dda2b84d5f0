#pragma once

#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "collectives/group/node_group.hpp"
#include "collectives/group/shared_barrier.hpp"

namespace troupe {

/// Returns the bytes of a chunk that a rank reduces.
using SliceOf = std::function<Range(int rank)>;

/// Exchanges data between one rank and the ranks of other nodes, through the windows of a `NodeGroup`. All functions
/// wait until the deadline, and check from time to time whether the group is broken. They throw Error as
/// `SharedBarrier`, with the rank's name.
class RemoteRanks {
 public:
  RemoteRanks(std::shared_ptr<NodeGroup> group, SharedBarrier& barrier);

  /// Returns the terms of a sum over all ranks: each rank of this node, and complete subtrees of other nodes.
  std::vector<Range> terms() const;

  /// Sends this rank's call record and payload to all other nodes.
  void say(std::span<const std::byte> said, const Deadline& deadline) const;
  /// Waits until all ranks of other nodes have made as many calls as this rank.
  void await_said(const Deadline& deadline);

  /// Notifies all other nodes that this rank no longer takes part. Ignores nodes that cannot be reached.
  void leave(std::span<const std::byte> farewell, const Deadline& deadline) const;

  /// Begins the next chunk of a vector. All ranks call this.
  void begin_chunk() { ++ticket_; }
  /// Sends the sums of this node's chunks for the slices of ranks on other nodes. The ranks of this node divide the
  /// receivers among themselves.
  void send_sums(const Collective& call, const SliceOf& slice_of, const Deadline& deadline);
  /// Waits for the sums from other nodes for this rank's slice.
  /// @param sources by term: sets the entries of other nodes and keeps the entries of this node
  void await_sums(std::vector<const std::byte*>& sources, const Deadline& deadline);
  /// `send_made` sends this rank's slice of the result to all other nodes. `await_made` waits for another rank's slice.
  void send_made(std::size_t bytes, const Deadline& deadline) const;
  void await_made(int rank, const Deadline& deadline);

 private:
  void send(int node, WindowId window, std::uint64_t ticket, std::uint32_t segment, std::span<const std::byte> bytes,
            const Deadline& deadline) const;
  void await(int rank, WindowId window, std::uint64_t ticket, std::uint32_t segment, const Deadline& deadline);
  void send_sum(const Collective& call, const Range& ranks, std::uint32_t segment, int to, const Range& slice,
                const Deadline& deadline);
  void hear_farewells() const;
  bool is_local(int rank) const { return group_->node_of(rank) == group_->node(); }

  std::shared_ptr<NodeGroup> group_;
  SharedBarrier& barrier_;
  int rank_;
  std::vector<Range> ranks_;     ///< ranges of one rank each
  std::vector<Range> own_sums_;  ///< the sums that this node sends: complete subtrees
  std::uint64_t ticket_ = 0;
  std::vector<std::byte> sum_;             ///< scratch: a piece
  std::vector<const std::byte*> sources_;  ///< scratch
};

}  // namespace troupe
