#include "actors/rounds/members.hpp"

#include <algorithm>
#include <numeric>

namespace troupe {
namespace {

std::vector<int> numbers(int first, int count) {
  std::vector<int> all(static_cast<std::size_t>(count));
  std::iota(all.begin(), all.end(), first);
  return all;
}

}  // namespace

Members::Members(int num_workers, int devices, int num_nodes, int num_shards)
    : devices_(devices),
      workers_(static_cast<std::size_t>(num_workers)),
      lost_nodes_(static_cast<std::size_t>(num_nodes)) {
  topology_.num_shards = num_shards;
  for (const int worker : workers())
    topology_.node_of_lane.insert(topology_.node_of_lane.end(), static_cast<std::size_t>(devices), node_of(worker));
}

std::vector<int> Members::workers() const { return numbers(0, num_workers()); }
std::vector<int> Members::nodes() const { return numbers(num_workers(), num_nodes()); }

int Members::node_of(int member) const {
  if (is_node(member)) return member - num_workers();
  return static_cast<int>(std::int64_t{member} * num_nodes() / num_workers());
}

Range Members::lanes_of(int worker) const {
  return {static_cast<std::size_t>(worker * devices_), static_cast<std::size_t>((worker + 1) * devices_)};
}

bool Members::lost(int member) const {
  if (is_node(member)) return lost_nodes_.at(static_cast<std::size_t>(node_of(member)));
  return workers_.at(static_cast<std::size_t>(member)).lost;
}

void Members::lose(int member) {
  if (is_node(member))
    lost_nodes_.at(static_cast<std::size_t>(node_of(member))) = true;
  else
    workers_.at(static_cast<std::size_t>(member)).lost = true;
}

void Members::come(int worker) { workers_.at(static_cast<std::size_t>(worker)) = {.lost = false, .came = true}; }

std::vector<int> Members::lost_workers() const {
  std::vector<int> lost;
  for (const int worker : workers())
    if (this->lost(worker)) lost.push_back(worker);
  return lost;
}

std::vector<int> Members::unbuilt_workers() const {
  std::vector<int> unbuilt;
  for (const int worker : workers())
    if (!workers_[static_cast<std::size_t>(worker)].built) unbuilt.push_back(worker);
  return unbuilt;
}

bool Members::silent_workers() const {
  return std::any_of(workers_.begin(), workers_.end(), [](const WorkerState& each) { return each.lost && each.came; });
}

}  // namespace troupe
