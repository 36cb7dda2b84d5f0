#pragma once

#include <memory>

#include "collectives/exchange/exchange.hpp"
#include "collectives/exchange/server_exchange.hpp"
#include "collectives/group/node_group.hpp"

namespace troupe {

/// The objects that a node shares with its workers.
class NodeShare {
 public:
  NodeShare() = default;
  NodeShare(const NodeShare&) = delete;
  NodeShare& operator=(const NodeShare&) = delete;
  virtual ~NodeShare() = default;

  // The exchange of the current generation: between all nodes, or with parameter servers. One of the two is null. The
  // exchange stays valid as long as a pointer to it exists.
  virtual std::shared_ptr<NodeExchange> exchange() const = 0;
  virtual std::shared_ptr<ServerExchange> server_exchange() const = 0;
  /// Checks that a worker's slabs belong to this generation and are cut by the same plan.
  /// @throws Error protocol otherwise
  virtual void check_alike(const SlabLayout& layout, const PlanRequest& plan, std::size_t learned_size) const = 0;
  /// Returns the group for functions on workers of several nodes; null before the first group begins.
  virtual std::shared_ptr<NodeGroup> group() const = 0;
};

}  // namespace troupe
