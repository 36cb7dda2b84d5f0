#include "collectives/plan/plan.hpp"

#include <algorithm>
#include <array>
#include <numeric>

#include "collectives/plan/flows.hpp"
#include "runtime/processes/memory.hpp"
#include "troupe/error.hpp"

namespace troupe {
namespace {

void check(const Topology& topology) {
  const std::vector<int>& nodes = topology.node_of_lane;
  bool in_order = !nodes.empty() && nodes.front() == 0 && topology.num_shards > 0;
  for (std::size_t lane = 1; lane < nodes.size(); ++lane)
    in_order = in_order && (nodes[lane] == nodes[lane - 1] || nodes[lane] == nodes[lane - 1] + 1);
  if (!in_order)
    throw Error(ErrorCode::invalid_argument,
                "a plan needs replicas in order of their nodes, which are numbered from 0 "
                "without gaps, and at least one shard");
}

void check(const std::string& strategy, int parameter_servers, int nodes) {
  const std::array known{"sharded", "driver", "hierarchical", "ring", "parameter-server"};
  if (std::find(known.begin(), known.end(), strategy) == known.end())
    throw Error(ErrorCode::invalid_argument, "there is no strategy '" + strategy +
                                                 "'; the strategies are 'auto', 'sharded', 'driver', 'hierarchical', "
                                                 "'ring' and 'parameter-server'");
  if (nodes > 1 && strategy == "sharded")
    throw Error(ErrorCode::invalid_argument,
                "strategy 'sharded' needs shared memory and so one node; use 'hierarchical' in a cluster");
  if (nodes > 1 && strategy == "driver")
    throw Error(ErrorCode::invalid_argument,
                "strategy 'driver' works within one node; use 'parameter-server' with parameter_servers = 1 in a "
                "cluster");
  if (parameter_servers < 0 || (strategy == "parameter-server" && parameter_servers > nodes))
    throw Error(ErrorCode::invalid_argument, "parameter_servers is " + std::to_string(parameter_servers) +
                                                 "; it must lie between 0 (all) and the number of nodes, " +
                                                 std::to_string(nodes));
}

Leaves shard_range(int replica, int num_replicas, int num_shards) {
  const auto i = static_cast<std::size_t>(replica);
  const auto replicas = static_cast<std::size_t>(num_replicas);
  const auto shards = static_cast<std::size_t>(num_shards);
  return {i * shards / replicas, (i + 1) * shards / replicas};
}

}  // namespace

std::vector<Range> page_slices(std::size_t size, std::size_t parts) {
  const std::size_t pages = (size + kPageFloats - 1) / kPageFloats;
  std::vector<Range> slices;
  std::size_t page = 0;
  for (std::size_t part = 0; part < parts; ++part) {
    const std::size_t begin = page;
    page += pages / parts + (part < pages % parts ? 1 : 0);
    slices.push_back({std::min(begin * kPageFloats, size), std::min(page * kPageFloats, size)});
  }
  return slices;
}

Range device_part(const Range& slice, std::size_t device, std::size_t devices) {
  const Range part = page_slices(slice.size(), devices)[device];
  return {slice.begin + part.begin, slice.begin + part.end};
}

Lanes Topology::lanes_of_node(int node) const {
  const auto lanes = std::equal_range(node_of_lane.begin(), node_of_lane.end(), node);
  return {static_cast<int>(lanes.first - node_of_lane.begin()), static_cast<int>(lanes.second - lanes.first)};
}

bool Plan::idle(int first, int count) const {
  const auto among = [first, count](int lane) { return lane >= first && lane < first + count; };
  return slice_of_lanes(first, count).empty() && std::none_of(flows.begin(), flows.end(), [&](const Flow& flow) {
           return among(flow.from_lane) || among(flow.to_lane);
         });
}

Range Plan::slice_of_lanes(int first, int count) const {
  const auto begin = static_cast<std::size_t>(first);
  return {slices[begin].begin, slices[begin + static_cast<std::size_t>(count) - 1].end};
}

Leaves Plan::shards_of_lane(int lane) const { return shard_range(lane, topology.num_lanes(), topology.num_shards); }

Leaves Plan::shards_of_node(int node) const {
  const Lanes lanes = topology.lanes_of_node(node);
  return {shards_of_lane(lanes.first).begin, shards_of_lane(lanes.first + lanes.count - 1).end};
}

Plan make_plan(const PlanOptions& options, const Topology& topology, std::size_t size) {
  check(topology);
  const int nodes = topology.num_nodes();
  Plan plan;
  plan.strategy = options.strategy;
  if (plan.strategy == "auto") plan.strategy = nodes == 1 ? "sharded" : "hierarchical";
  check(plan.strategy, options.parameter_servers, nodes);
  plan.topology = topology;
  plan.driver_reduces = plan.strategy == "driver";
  const bool ring = plan.strategy == "ring" || plan.strategy == "hierarchical";
  // Within one node there is nothing to be won by another order.
  plan.ring_order = ring && !options.deterministic && nodes > 1;
  plan.deterministic = !plan.ring_order;
  const bool some_serve = plan.strategy == "parameter-server" && options.parameter_servers > 0;
  const Lanes last_owners = topology.lanes_of_node(some_serve ? options.parameter_servers - 1 : nodes - 1);
  plan.slices =
      page_slices(size, static_cast<std::size_t>(last_owners.first) + static_cast<std::size_t>(last_owners.count));
  plan.slices.resize(topology.node_of_lane.size(), {size, size});
  add_flows(plan);
  return plan;
}

std::vector<int> shards_of(int replica, int num_replicas, int num_shards) {
  const Leaves range = shard_range(replica, num_replicas, num_shards);
  std::vector<int> shards(range.size());
  std::iota(shards.begin(), shards.end(), static_cast<int>(range.begin));
  return shards;
}

}  // namespace troupe
