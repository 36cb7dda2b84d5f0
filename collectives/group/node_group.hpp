#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "collectives/group/shared_barrier.hpp"
#include "collectives/group/staging.hpp"
#include "collectives/state/held_objects.hpp"
#include "runtime/store/store_client.hpp"
#include "runtime/transport.hpp"

namespace troupe {

/// The memory that the ranks of one node share, in a group over several nodes. It consists of the memory of their
/// barrier, the memory through which they exchange long vectors, and the windows into which ranks of other nodes write.
/// The constructor announces all windows. No rank may send before each node of the group has constructed its NodeGroup.
class NodeGroup {
 public:
  /// The place of this node in the group.
  struct Place {
    ObjectId id;  ///< the name of the object with the shared memory; its kind is `group`
    int node = 0;
    std::vector<std::int32_t> node_of_rank;  ///< by rank: the number of the rank's node; the numbers do not decrease
    std::vector<RankName> names;             ///< by rank
  };
  /// Creates the memory in `store`, and announces the windows to the data plane.
  /// @throws Error from the store; invalid_argument if the ranks are not in order of their nodes, or if this node has
  /// no rank
  NodeGroup(Place place, std::shared_ptr<Transport> transport, StoreClient& store);

  const ObjectId& id() const { return place_.id; }
  int size() const { return static_cast<int>(place_.node_of_rank.size()); }
  int node() const { return place_.node; }
  int num_nodes() const { return place_.node_of_rank.back() + 1; }
  int node_of(int rank) const { return place_.node_of_rank[static_cast<std::size_t>(rank)]; }
  Range ranks_of(int node) const;
  /// Returns the ranks that each sum of node `node` covers, in order. In a reduction, a node sends sums over its ranks
  /// instead of the vectors of its ranks. It sends one sum for each of the largest complete subtrees, of the fixed tree
  /// over all ranks, that together cover the node's ranks.
  std::vector<Range> sums_of(int node) const;

  std::span<std::byte> barrier_memory() const;
  const Staging& staging() const { return staging_; }
  /// Returns the memory in which a sum from node `node` arrives.
  /// @param node the sender
  /// @param rank the rank on this node whose slice the sum belongs to
  /// @param term the index of the sum in `sums_of(node)`
  std::byte* sum_from(int node, int rank, std::size_t term) const;
  Transport& transport() const { return *transport_; }

  // The next four functions return the number of a window on the receiving node. The windows are for call records with
  // their payloads, for finished slices, for farewells, and for sums. The numbers are the same on all nodes. `rank` is
  // the sender; in `window_of_sums`, `rank` is the receiver and `from_node` the sender.
  WindowId window_of_said(int rank, std::size_t parity) const;
  WindowId window_of_made(int rank) const;
  WindowId window_of_farewell(int rank) const;
  WindowId window_of_sums(int from_node, int rank) const;

 private:
  void announce();
  std::size_t sums_bytes() const;

  Place place_;
  std::shared_ptr<Transport> transport_;
  HeldObjects held_;
  std::shared_ptr<Mapping> mapping_;
  Staging staging_;
  std::byte* sums_ = nullptr;
  std::vector<std::size_t> sums_before_;  ///< by node: the number of sums that one rank of this node receives from all
                                          ///< nodes with smaller numbers
};

}  // namespace troupe
