#pragma once

#include <memory>

#include "collectives/exchange/exchange.hpp"
#include "collectives/exchange/server_exchange.hpp"
#include "collectives/group/node_group.hpp"

namespace troupe {

/// What a node shares with its workers.
class NodeShare {
 public:
  NodeShare() = default;
  NodeShare(const NodeShare&) = delete;
  NodeShare& operator=(const NodeShare&) = delete;
  virtual ~NodeShare() = default;

  // This generation's, one of the two; stays whole as long as somebody holds it.
  virtual std::shared_ptr<NodeExchange> exchange() const = 0;
  virtual std::shared_ptr<ServerExchange> server_exchange() const = 0;
  /// That a worker's slabs are those of this generation, cut by the same plan. @throws Error protocol
  virtual void check_alike(const SlabLayout& layout, const PlanRequest& plan, std::size_t learned_size) const = 0;
  /// Of functions that run on workers of several nodes; null before the first.
  virtual std::shared_ptr<NodeGroup> group() const = 0;
};

}  // namespace troupe
