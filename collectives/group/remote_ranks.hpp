#pragma once

#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "collectives/group/node_group.hpp"
#include "collectives/group/shared_barrier.hpp"

namespace troupe {

/// A function that returns the slice of the current block that `rank` reduces, as a range of bytes of the block.
using SliceOf = std::function<Range(int rank)>;

/// Exchanges data between one rank and the ranks of other nodes, through the windows of a `NodeGroup`. A function with
/// a deadline blocks until the deadline at most, and checks at intervals whether the group is broken. If a rank is
/// missing, the function throws an error that names the rank, as `SharedBarrier` does.
class RemoteRanks {
 public:
  RemoteRanks(std::shared_ptr<NodeGroup> group, SharedBarrier& barrier);

  /// Returns the ranks that each input of a slice covers, if a rank of this node computes the slice. The inputs, in
  /// order of rank, are the blocks of this node's ranks (one rank each) and the sums from other nodes
  /// (`NodeGroup::sums_of`).
  std::vector<Range> terms() const;

  /// Sends `said`, this rank's call record and payload, to all other nodes.
  /// @param said the result of SharedBarrier::said
  void say(std::span<const std::byte> said, const Deadline& deadline) const;
  /// Blocks until each rank of the other nodes has sent its record of the call that this rank makes at present.
  void await_said(const Deadline& deadline);

  /// Sends `farewell` to all other nodes, to announce that this rank no longer takes part. Ignores nodes that cannot be
  /// reached.
  /// @param farewell the result of SharedBarrier::farewell
  void leave(std::span<const std::byte> farewell, const Deadline& deadline) const;

  /// Begins the next block of a vector, which has the next ticket. Every rank must call this function for every block,
  /// so that all ranks use the same tickets.
  void begin_chunk() { ++ticket_; }
  /// Sends sums over the blocks of this node to ranks on other nodes: to each receiver the sums for the receiver's
  /// slice. The receivers are divided among the ranks of this node, so one call sends only to some of the receivers.
  void send_sums(const Collective& call, const SliceOf& slice_of, const Deadline& deadline);
  /// Blocks until the sums from other nodes for this rank's slice have arrived.
  /// @param sources one pointer per element of `terms()`. This function sets the pointers for sums from other nodes,
  /// and does not change the pointers for ranks of this node
  void await_sums(std::vector<const std::byte*>& sources, const Deadline& deadline);
  /// Sends this rank's slice of the result to all other nodes. The slice has `bytes` bytes, and is at
  /// `Staging::made_by` of this rank.
  void send_made(std::size_t bytes, const Deadline& deadline) const;
  /// Blocks until the slice that `rank` has computed has arrived. Does nothing if `rank` is on this node.
  void await_made(int rank, const Deadline& deadline);

 private:
  void send(int node, WindowId window, std::uint64_t ticket, std::uint32_t segment, std::span<const std::byte> bytes,
            const Deadline& deadline) const;
  void await(int rank, WindowId window, std::uint64_t ticket, std::uint32_t segment, const Deadline& deadline);
  void send_sum(const Collective& call, const Range& ranks, std::uint32_t segment, int to, const Range& slice,
                const Deadline& deadline);
  /// Reads all farewells that have arrived from ranks of other nodes.
  /// @throws Error if a rank left the group before it made the current call of this rank
  void hear_farewells() const;
  bool is_local(int rank) const { return group_->node_of(rank) == group_->node(); }

  std::shared_ptr<NodeGroup> group_;
  SharedBarrier& barrier_;
  int rank_;
  std::vector<Range> ranks_;     ///< by rank: the range that contains only this rank
  std::vector<Range> own_sums_;  ///< the ranks that each sum of this node covers (`NodeGroup::sums_of`)
  std::uint64_t ticket_ = 0;
  std::vector<std::byte> sum_;             ///< scratch: the sum that is being sent
  std::vector<const std::byte*> sources_;  ///< scratch: the inputs of a sum
};

}  // namespace troupe
