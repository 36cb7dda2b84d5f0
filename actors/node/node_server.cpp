#include "actors/messages/bounds.hpp"
#include "actors/messages/options_json.hpp"
#include "actors/node/node_service.hpp"

// The part of NodeService for parameter servers. The parameter server of a node owns the slices that the plan assigns
// to the node's workers. It exchanges gradients and weights with the workers of all nodes.
namespace troupe {

void NodeService::make_server(const BeginGeneration& request, Shared& next) const {
  next.served = std::make_shared<ServedState>(*store_, next.state);
  std::vector<Range> slices;
  slices.reserve(static_cast<std::size_t>(num_nodes_));
  for (int node = 0; node < num_nodes_; ++node) slices.push_back(next.plan.slice_of_node(node));
  const Range own = slices.at(static_cast<std::size_t>(self_));
  next.server_exchange =
      std::make_shared<ServerExchange>(next.served, next.plan.topology, request.served_devices,
                                       ServerExchange::Nodes{self_, std::move(slices), *next.transport, *store_});
  if (own.empty()) return;
  next.server = std::make_unique<ParameterServer>(next.served, next.server_exchange, next.plan.topology.num_shards, own,
                                                  request.learned_size, optimizer_from_json(request.optimizer));
}

Pushed NodeService::carry_out(const Push& request) {
  check_steps(request.step, request.updates);
  const Shared& now = current();
  const auto buffers = now.state->layout().buffers;
  const auto is_buffer = [&](int buffer) { return buffer >= 0 && buffer < buffers; };
  const int workers = now.server_exchange ? now.server_exchange->num_ranks() : 0;
  if (!now.server || !is_buffer(request.from) || !is_buffer(request.to) || request.rank < 0 || request.rank >= workers)
    throw Error(ErrorCode::protocol, "this node has no parameter server for this push");
  return now.server->carry_out(request);
}

void NodeService::carry_out(const ShareWeights& request) {
  const Shared& now = current();
  if (!now.server_exchange || request.buffer < 0 || request.buffer >= now.state->layout().buffers)
    throw Error(ErrorCode::protocol, "the run has no parameter servers, or no such buffer");
  now.server_exchange->share(request.buffer, request.round, deadline_of(request).earlier());
}

}  // namespace troupe
