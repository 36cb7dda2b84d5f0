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

/// What the ranks of one node have in common in a group over several: memory in which they meet, and through which
/// their long vectors go, and the windows by which ranks of other nodes write into it. All are announced when this is
/// made; nobody may send before that is so on all nodes.
class NodeGroup {
 public:
  struct Place {
    ObjectId id;  ///< of kind group
    int node = 0;
    std::vector<std::int32_t> node_of_rank;  ///< never decreasing
    std::vector<RankName> names;             ///< by rank
  };
  /// @throws Error as the store; invalid_argument unless ranks are in order of their nodes, and some are of this one
  NodeGroup(Place place, std::shared_ptr<Transport> transport, StoreClient& store);

  const ObjectId& id() const { return place_.id; }
  int size() const { return static_cast<int>(place_.node_of_rank.size()); }
  int node() const { return place_.node; }
  int num_nodes() const { return place_.node_of_rank.back() + 1; }
  int node_of(int rank) const { return place_.node_of_rank[static_cast<std::size_t>(rank)]; }
  Range ranks_of(int node) const;
  /// What a node sends of its chunks, in order: a sum for each complete subtree of the tree over ranks.
  std::vector<Range> sums_of(int node) const;

  std::span<std::byte> barrier_memory() const;
  const Staging& staging() const { return staging_; }
  /// What a node has sent of such a sum for a rank of this one.
  std::byte* sum_from(int node, int rank, std::size_t term) const;
  Transport& transport() const { return *transport_; }

  // The same on all nodes.
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
  std::vector<std::size_t> sums_before_;  ///< by node: sums of other nodes before its, of a rank
};

}  // namespace troupe
