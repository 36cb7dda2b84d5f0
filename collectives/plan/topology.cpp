#include "collectives/plan/topology.hpp"

#include <algorithm>
#include <string>

#include "troupe/error.hpp"

namespace troupe {

Range Topology::lanes_of_node(int node) const {
  const auto [first, end] = std::equal_range(node_of_lane.begin(), node_of_lane.end(), node);
  return {static_cast<std::size_t>(first - node_of_lane.begin()), static_cast<std::size_t>(end - node_of_lane.begin())};
}

Range Topology::shards_of_lanes(const Range& lanes) const {
  const std::size_t all = node_of_lane.size();
  if (all == 0 || lanes.begin > lanes.end || lanes.end > all)
    throw Error(ErrorCode::invalid_argument, "invalid range of replicas, which ends at " + std::to_string(lanes.end) +
                                                 "; the number of replicas is " + std::to_string(all));
  const auto shards = static_cast<std::size_t>(num_shards);
  return {lanes.begin * shards / all, lanes.end * shards / all};
}

Range Topology::shards_of_lane(int lane) const {
  const auto begin = static_cast<std::size_t>(lane);
  return shards_of_lanes({begin, begin + 1});
}

Range Topology::lanes_before(const Range& lanes) const {
  const std::size_t begin = (lanes.begin == 0 ? node_of_lane.size() : lanes.begin) - lanes.size();
  return {begin, begin + lanes.size()};
}

std::vector<std::uint64_t> Topology::by_shard(const std::vector<std::uint64_t>& by_lane) const {
  if (by_lane.size() != node_of_lane.size())
    throw Error(ErrorCode::invalid_argument, "the number of values differs from the number of replicas");
  std::vector<std::uint64_t> all;
  all.reserve(static_cast<std::size_t>(num_shards));
  for (int lane = 0; lane < num_lanes(); ++lane)
    all.insert(all.end(), shards_of_lane(lane).size(), by_lane[static_cast<std::size_t>(lane)]);
  return all;
}

void Topology::check() const {
  const std::vector<std::int32_t>& nodes = node_of_lane;
  bool in_order = !nodes.empty() && nodes.front() == 0;
  for (std::size_t lane = 1; lane < nodes.size(); ++lane)
    in_order = in_order && (nodes[lane] == nodes[lane - 1] || nodes[lane] == nodes[lane - 1] + 1);
  if (!in_order)
    throw Error(ErrorCode::invalid_argument,
                "replicas of a plan must be in order of their nodes, numbered from 0 without gaps");
  if (num_shards < 1 || num_shards > kMostShards)
    throw Error(ErrorCode::invalid_argument, "a plan has " + std::to_string(num_shards) +
                                                 " shards; it must have 1 to " + std::to_string(kMostShards));
}

}  // namespace troupe
