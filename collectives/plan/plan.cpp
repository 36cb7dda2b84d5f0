#include "collectives/plan/plan.hpp"

#include <algorithm>
#include <string>

#include "collectives/plan/flows.hpp"
#include "runtime/processes/memory.hpp"
#include "troupe/error.hpp"

namespace troupe {
namespace {

/// Returns the slice of each owner. Each slice begins and ends at borders of the fixed pieces (`vector_pieces`).
/// @param owners the number of owners
std::vector<Range> piece_slices(std::size_t size, std::size_t owners) {
  const std::vector<Range> pieces = vector_pieces(size);
  std::vector<Range> slices;
  for (const Range& own : pieces_of_owners(owners))
    slices.push_back({own.begin < kPieces ? pieces[own.begin].begin : size, own.end > 0 ? pieces[own.end - 1].end : 0});
  return slices;
}

Strategy chosen(Strategy strategy, int slice_owners, int nodes) {
  if (strategy != Strategy::automatic) return strategy;
  if (nodes == 1) return Strategy::sharded;
  return slice_owners > 0 ? Strategy::parameter_server : Strategy::hierarchical;
}

void check(Strategy strategy, int slice_owners, int nodes) {
  if (nodes > 1 && strategy == Strategy::sharded)
    throw Error(ErrorCode::invalid_argument,
                "strategy 'sharded' needs shared memory and so one node; use 'hierarchical' in a cluster");
  if (nodes > 1 && strategy == Strategy::driver)
    throw Error(ErrorCode::invalid_argument,
                "strategy 'driver' works within one node; use 'parameter-server' with slice_owners = 1 in a "
                "cluster");
  if (slice_owners < 0 || (strategy == Strategy::parameter_server && slice_owners > nodes))
    throw Error(ErrorCode::invalid_argument, "slice_owners is " + std::to_string(slice_owners) +
                                                 "; it must lie between 0 (all) and the number of nodes, " +
                                                 std::to_string(nodes));
}

/// Returns the slice of each lane. If `request.slice_owners` limits the number of nodes that own slices, the slices of
/// lanes on all other nodes are empty.
std::vector<Range> make_slices(const Plan& plan, const PlanRequest& request, std::size_t size) {
  const bool some_serve = plan.strategy == Strategy::parameter_server && request.slice_owners > 0;
  const int owning_nodes = some_serve ? request.slice_owners : plan.topology.num_nodes();
  const std::size_t owners = plan.topology.lanes_of_node(owning_nodes - 1).end;
  std::vector<Range> slices = request.in_pieces ? piece_slices(size, owners) : page_slices(size, owners);
  slices.resize(plan.topology.node_of_lane.size(), {size, size});
  return slices;
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

std::vector<Range> vector_pieces(std::size_t size) { return page_slices(size, kPieces); }

std::vector<Range> pieces_of_owners(std::size_t owners) {
  std::vector<Range> all;
  for (std::size_t owner = 0; owner < owners; ++owner)
    all.push_back({kPieces * owner / owners, kPieces * (owner + 1) / owners});
  return all;
}

bool Plan::idle(const Range& lanes) const {
  const auto among = [&](int lane) {
    const auto index = static_cast<std::size_t>(lane);
    return index >= lanes.begin && index < lanes.end;
  };
  return slice_of_lanes(lanes).empty() && std::none_of(flows.begin(), flows.end(), [&](const Flow& flow) {
           return among(flow.from_lane) || among(flow.to_lane);
         });
}

Plan make_plan(const PlanRequest& request, std::size_t size) {
  request.topology.check();
  const int nodes = request.topology.num_nodes();
  Plan plan;
  plan.topology = request.topology;
  plan.strategy = chosen(request.strategy, request.slice_owners, nodes);
  check(plan.strategy, request.slice_owners, nodes);
  plan.driver_reduces = plan.strategy == Strategy::driver;
  const bool ring = plan.strategy == Strategy::ring || plan.strategy == Strategy::hierarchical;
  // Within one node all gradients are in shared memory, so ring order would have no advantage.
  plan.ring_order = ring && !request.deterministic && nodes > 1;
  plan.slices = make_slices(plan, request, size);
  add_flows(plan);
  return plan;
}

}  // namespace troupe
