#pragma once

#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "collectives/group/node_group.hpp"
#include "collectives/group/shared_barrier.hpp"

namespace troupe {

/// A function that returns the slice of the current chunk that `rank` reduces, as a range of bytes.
using SliceOf = std::function<Range(int rank)>;

/// Exchanges data between one rank and the ranks of other nodes, through the windows of a `NodeGroup`. Functions with a
/// deadline block until the deadline at most, and check at intervals whether the group is broken. If a rank is missing,
/// they throw an error that names the rank, as `SharedBarrier` does.
class RemoteRanks {
 public:
  RemoteRanks(std::shared_ptr<NodeGroup> group, SharedBarrier& barrier);

  /// Returns the ranks that each input of a sum on this node covers, in order: a single rank for each rank of this
  /// node, and the complete subtrees (`NodeGroup::sums_of`) of the other nodes.
  std::vector<Range> terms() const;

  /// Sends this rank's call record and payload to all other nodes.
  /// @param said the result of SharedBarrier::said
  void say(std::span<const std::byte> said, const Deadline& deadline) const;
  /// Waits until the record of this rank's current call has arrived from each rank of the other nodes.
  void await_said(const Deadline& deadline);

  /// Notifies all other nodes that this rank no longer takes part. Ignores nodes that cannot be reached.
  /// @param farewell the result of SharedBarrier::farewell
  void leave(std::span<const std::byte> farewell, const Deadline& deadline) const;

  /// Begins the next chunk of a vector. Every rank must call this function for every chunk, so that tickets match.
  void begin_chunk() { ++ticket_; }
  /// Sends sums over this node's chunks to the ranks on other nodes, to each rank for its slice. The receivers are
  /// divided among the ranks of this node, so this call serves only some of them.
  void send_sums(const Collective& call, const SliceOf& slice_of, const Deadline& deadline);
  /// Waits for the sums from other nodes for this rank's slice.
  /// @param sources one pointer per element of `terms()`; this call sets the pointers for other nodes, and does not
  /// change the pointers for ranks of this node
  void await_sums(std::vector<const std::byte*>& sources, const Deadline& deadline);
  /// Sends this rank's slice of the result, the first `bytes` bytes of its place in the staging memory, to all other
  /// nodes.
  void send_made(std::size_t bytes, const Deadline& deadline) const;
  /// Waits until the slice that `rank` computed has arrived. Does nothing if the rank is on this node.
  void await_made(int rank, const Deadline& deadline);

 private:
  void send(int node, WindowId window, std::uint64_t ticket, std::uint32_t segment, std::span<const std::byte> bytes,
            const Deadline& deadline) const;
  void await(int rank, WindowId window, std::uint64_t ticket, std::uint32_t segment, const Deadline& deadline);
  void send_sum(const Collective& call, const Range& ranks, std::uint32_t segment, int to, const Range& slice,
                const Deadline& deadline);
  /// Reads all farewells that have arrived.
  /// @throws Error if a rank left before this rank's current call
  void hear_farewells() const;
  bool is_local(int rank) const { return group_->node_of(rank) == group_->node(); }

  std::shared_ptr<NodeGroup> group_;
  SharedBarrier& barrier_;
  int rank_;
  std::vector<Range> ranks_;     ///< ranges of one rank each
  std::vector<Range> own_sums_;  ///< the ranks that each sum of this node covers
  std::uint64_t ticket_ = 0;
  std::vector<std::byte> sum_;             ///< scratch: the sum that is being sent
  std::vector<const std::byte*> sources_;  ///< scratch: the inputs of a sum
};

}  // namespace troupe
