#pragma once

#include <memory>

#include "collectives/exchange/exchange.hpp"
#include "collectives/exchange/server_exchange.hpp"
#include "collectives/group/node_group.hpp"

namespace troupe {

/// The interface through which a worker uses the objects that its node shares with all of its workers.
class NodeShare {
 public:
  NodeShare() = default;
  NodeShare(const NodeShare&) = delete;
  NodeShare& operator=(const NodeShare&) = delete;
  virtual ~NodeShare() = default;

  // Each of the next two functions returns an exchange of the current generation. `exchange` returns the exchange of
  // gradients between all nodes, and `server_exchange` the exchange with parameter servers. One of the two results is
  // null. An exchange exists as long as a pointer to it exists.
  virtual std::shared_ptr<NodeExchange> exchange() const = 0;
  virtual std::shared_ptr<ServerExchange> server_exchange() const = 0;
  /// Checks that a worker's slabs belong to the node's current generation, and that the worker uses the same plan as
  /// the node.
  /// @throws Error protocol if this is not so
  virtual void check_alike(const SlabLayout& layout, const PlanRequest& plan, std::size_t learned_size) const = 0;
  /// Returns the group in which users' functions on workers of several nodes run collectives; null before the first
  /// group begins.
  virtual std::shared_ptr<NodeGroup> group() const = 0;
};

}  // namespace troupe
