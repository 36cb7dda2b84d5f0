#pragma once

#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "collectives/group/node_group.hpp"
#include "collectives/group/shared_barrier.hpp"

namespace troupe {

/// Which bytes of a chunk a rank makes.
using SliceOf = std::function<Range(int rank)>;

/// What passes between one rank and those of other nodes, by the windows of a `NodeGroup`. All wait until the deadline,
/// and look now and then whether anybody still waits; they throw Error as `SharedBarrier`, naming the rank.
class RemoteRanks {
 public:
  RemoteRanks(std::shared_ptr<NodeGroup> group, SharedBarrier& barrier);

  /// What a sum over all ranks is made of here: each rank of this node, and complete subtrees of others.
  std::vector<Range> terms() const;

  /// Sends to all other nodes what this rank says with its call.
  void say(std::span<const std::byte> said, const Deadline& deadline) const;
  /// Waits until all ranks of other nodes have called as often as this one.
  void await_said(const Deadline& deadline);

  /// Sends to all other nodes, as far as they hear it, that this rank comes no more.
  void leave(std::span<const std::byte> farewell, const Deadline& deadline) const;

  /// The next of several chunks begins, on all ranks.
  void begin_chunk() { ++ticket_; }
  /// Sends to ranks of other nodes what this node's chunks have for their slices: of these, each rank of the node deals
  /// with some.
  void send_sums(const Collective& call, const SliceOf& slice_of, const Deadline& deadline);
  /// Waits for what other nodes have for this rank's slice. @param sources by term: those of this node stay
  void await_sums(std::vector<const std::byte*>& sources, const Deadline& deadline);
  /// Sends to all other nodes what this rank has made, and waits for what another has.
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
  std::vector<Range> ranks_;     ///< each by itself
  std::vector<Range> own_sums_;  ///< what other nodes get of this one: complete subtrees
  std::uint64_t ticket_ = 0;
  std::vector<std::byte> sum_;             ///< scratch: a piece
  std::vector<const std::byte*> sources_;  ///< scratch
};

}  // namespace troupe
