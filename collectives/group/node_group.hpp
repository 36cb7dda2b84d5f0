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

/// What the ranks of one node share in a group over several nodes: the memory of their barrier, the memory through
/// which their long vectors pass, and the windows into which ranks of other nodes write. The constructor announces all
/// windows. No rank may send before all nodes have constructed their object.
class NodeGroup {
 public:
  struct Place {
    ObjectId id;  ///< of kind group
    int node = 0;
    std::vector<std::int32_t> node_of_rank;  ///< non-decreasing
    std::vector<RankName> names;             ///< by rank
  };
  /// @throws Error as the store; invalid_argument if ranks are not in order of their nodes, or if this node has no rank
  NodeGroup(Place place, std::shared_ptr<Transport> transport, StoreClient& store);

  const ObjectId& id() const { return place_.id; }
  int size() const { return static_cast<int>(place_.node_of_rank.size()); }
  int node() const { return place_.node; }
  int num_nodes() const { return place_.node_of_rank.back() + 1; }
  int node_of(int rank) const { return place_.node_of_rank[static_cast<std::size_t>(rank)]; }
  Range ranks_of(int node) const;
  /// Returns the sums that a node sends for its chunks, in order: one for each complete subtree of the tree over ranks.
  std::vector<Range> sums_of(int node) const;

  std::span<std::byte> barrier_memory() const;
  const Staging& staging() const { return staging_; }
  /// Returns where a sum from another node for a rank of this node is received.
  std::byte* sum_from(int node, int rank, std::size_t term) const;
  Transport& transport() const { return *transport_; }

  // Window numbers, the same on all nodes:
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
  std::vector<std::size_t> sums_before_;  ///< by node: number of sums of the other nodes before it, for one rank
};

}  // namespace troupe
