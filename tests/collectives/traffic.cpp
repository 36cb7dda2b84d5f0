#include "traffic.hpp"

Traffic traffic_of(const troupe::Plan& plan, int node) {
  Traffic traffic;
  for (const troupe::Flow& flow : plan.flows) {
    if (flow.from_node == flow.to_node) continue;
    const std::size_t bytes = plan.slice_of(flow.owner).size() * sizeof(float);
    if (flow.from_node == node) traffic.sent += bytes;
    if (flow.to_node == node) traffic.received += bytes;
  }
  return traffic;
}
