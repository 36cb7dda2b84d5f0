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

/// Divides `workers` among nodes in proportion to their cores, and returns the number of workers of each node. Each
/// node gets one worker. Each further worker goes to the node that then has the fewest workers per core.
std::vector<int> shared_out(int workers, const std::vector<int>& cores) {
  std::vector<int> shares(cores.size(), 1);
  const auto load = [&](std::size_t node) {
    return static_cast<double>(shares[node] + 1) / static_cast<double>(std::max(cores[node], 1));
  };
  for (int left = workers - static_cast<int>(cores.size()); left > 0 && !cores.empty(); --left) {
    std::size_t least = 0;
    for (std::size_t node = 1; node < cores.size(); ++node)
      if (load(node) < load(least)) least = node;
    ++shares[least];
  }
  return shares;
}

}  // namespace

Members::Members(int num_workers, int devices, int num_nodes, int num_shards) : devices_(devices) {
  topology_.num_shards = num_shards;
  deal_to_nodes(std::vector<int>(static_cast<std::size_t>(num_nodes), 1), num_workers);
}

void Members::deal_to_nodes(const std::vector<int>& cores, int num_workers) {
  workers_.assign(static_cast<std::size_t>(num_workers), {});
  lost_nodes_.assign(cores.size(), false);
  workers_of_node_ = shared_out(num_workers, cores);
  deal();
}

void Members::deal() {
  int rank = 0;
  for (WorkerState& worker : workers_) {
    worker.built = false;
    if (worker.takes_part) worker.rank = rank++;
  }
  topology_.node_of_lane.assign(static_cast<std::size_t>(rank) * static_cast<std::size_t>(devices_), 0);
  auto lane = topology_.node_of_lane.begin();
  for (std::size_t node = 0; node < workers_of_node_.size(); ++node)
    lane = std::fill_n(lane, workers_of_node_[node] * devices_, static_cast<std::int32_t>(node));
}

void Members::add() {
  const auto free = std::find_if(workers_.begin(), workers_.end(), [](const auto& each) { return !each.takes_part; });
  if (free == workers_.end())
    workers_.emplace_back();
  else
    *free = {};
  deal();
}

void Members::drop(int worker) {
  workers_.at(static_cast<std::size_t>(worker)).takes_part = false;
  deal();
}

std::vector<int> Members::workers() const {
  std::vector<int> all;
  all.reserve(workers_.size());
  for (std::size_t worker = 0; worker < workers_.size(); ++worker)
    if (workers_[worker].takes_part) all.push_back(static_cast<int>(worker));
  return all;
}

bool Members::takes_part(int worker) const {
  return worker >= 0 && worker < std::ssize(workers_) && workers_[static_cast<std::size_t>(worker)].takes_part;
}

std::vector<int> Members::nodes() const { return numbers(num_workers(), num_nodes()); }

int Members::node_of(int member) const {
  if (is_node(member)) return member - num_workers();
  return num_nodes() > 0 ? topology_.node_of(rank_of(member) * devices_) : 0;
}

Range Members::lanes_of(int worker) const {
  const auto first = static_cast<std::size_t>(rank_of(worker)) * static_cast<std::size_t>(devices_);
  return {first, first + static_cast<std::size_t>(devices_)};
}

bool Members::lost(int member) const {
  if (is_server(member)) return false;
  if (is_node(member)) return lost_nodes_.at(static_cast<std::size_t>(node_of(member)));
  return workers_.at(static_cast<std::size_t>(member)).lost;
}

void Members::lose(int member) {
  if (is_server(member)) return;
  if (is_node(member))
    lost_nodes_.at(static_cast<std::size_t>(node_of(member))) = true;
  else
    workers_.at(static_cast<std::size_t>(member)).lost = true;
}

void Members::come(int worker) {
  WorkerState& state = workers_.at(static_cast<std::size_t>(worker));
  state.lost = false;
  state.came = true;
  state.built = false;
}

void Members::rebuild() {
  for (WorkerState& worker : workers_) worker.built = false;
}

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
