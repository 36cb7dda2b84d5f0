#include "collectives/group/node_group.hpp"

#include <algorithm>

#include "collectives/group/memory.hpp"
#include "collectives/plan/topology.hpp"
#include "collectives/plan/tree.hpp"

namespace troupe {
namespace {

/// The maximum size in bytes of a block, which consists of one piece for each rank of the group (see Staging).
constexpr std::size_t kChunkBytes = std::size_t{4} << 20;
/// The maximum total size in bytes of the memory for blocks on one node. A block must satisfy both limits.
constexpr std::size_t kNodesChunkBytes = std::size_t{256} << 20;

/// Returns the size in bytes of one rank's piece of a block. All nodes must use the same size, so the size is computed
/// for the node with the most ranks.
std::size_t travelling_piece_bytes(const std::vector<std::int32_t>& node_of_rank) {
  std::size_t most = 0;  // the largest number of ranks on one node
  for (auto begin = node_of_rank.begin(); begin != node_of_rank.end();) {
    const auto end = std::upper_bound(begin, node_of_rank.end(), *begin);
    most = std::max(most, static_cast<std::size_t>(end - begin));
    begin = end;
  }
  return rounded_up(std::min(kChunkBytes, kNodesChunkBytes / (most + 1)) / node_of_rank.size(), kLineBytes);
}

std::size_t barrier_bytes(int size) { return rounded_up(SharedBarrier::bytes(size), kPageBytes); }

}  // namespace

NodeGroup::NodeGroup(Place place, std::shared_ptr<Transport> transport, StoreClient& store)
    : place_(std::move(place)), transport_(std::move(transport)), held_(store) {
  Topology{place_.node_of_rank, 1}.check();
  const Range local = ranks_of(place_.node);
  if (local.empty()) throw Error(ErrorCode::invalid_argument, "this node has no rank of the group");
  std::size_t sums = 0;
  for (int each = 0; each < num_nodes(); ++each) {
    sums_before_.push_back(sums);
    if (each != place_.node) sums += sums_of(each).size();
  }
  sums_before_.push_back(sums);
  staging_ = {nullptr, travelling_piece_bytes(place_.node_of_rank), size(), local};
  const std::size_t staged = Staging::bytes(staging_.piece_bytes, size(), local);
  mapping_ = held_.create(place_.id, barrier_bytes(size()) + staged + sums_bytes(), {.shared_writers = true});
  staging_.memory = bytes_of_mapping(*mapping_) + barrier_bytes(size());
  sums_ = staging_.memory + staged;
  SharedBarrier::prepare(barrier_memory(), size(), place_.names);
  announce();
}

Range NodeGroup::ranks_of(int node) const {
  const auto& nodes = place_.node_of_rank;
  const auto [begin, end] = std::equal_range(nodes.begin(), nodes.end(), node);
  return {static_cast<std::size_t>(begin - nodes.begin()), static_cast<std::size_t>(end - nodes.begin())};
}

std::vector<Range> NodeGroup::sums_of(int node) const {
  const Range ranks = ranks_of(node);
  return complete_subtrees(place_.node_of_rank.size(), ranks.begin, ranks.end);
}

std::span<std::byte> NodeGroup::barrier_memory() const {
  return {bytes_of_mapping(*mapping_), SharedBarrier::bytes(size())};
}

std::size_t NodeGroup::sums_bytes() const { return staging_.local.size() * sums_before_.back() * staging_.piece_bytes; }

std::byte* NodeGroup::sum_from(int node, int rank, std::size_t term) const {
  const std::size_t local = static_cast<std::size_t>(rank) - staging_.local.begin;
  const std::size_t place = local * sums_before_.back() + sums_before_[static_cast<std::size_t>(node)] + term;
  return sums_ + place * staging_.piece_bytes;
}

WindowId NodeGroup::window_of_said(int rank, std::size_t parity) const {
  return static_cast<WindowId>(2 * static_cast<std::size_t>(rank) + parity);
}
WindowId NodeGroup::window_of_made(int rank) const { return static_cast<WindowId>(2 * size() + rank); }
WindowId NodeGroup::window_of_farewell(int rank) const { return static_cast<WindowId>(3 * size() + rank); }
WindowId NodeGroup::window_of_sums(int from_node, int rank) const {
  return static_cast<WindowId>((4 + from_node) * size() + rank);
}

void NodeGroup::announce() {
  const auto take = [&](WindowId window, int from, std::span<std::byte> bytes, std::size_t segment_bytes) {
    transport_->announce(window, from, bytes, segment_bytes, mapping_, SegmentLength::any);
  };
  for (int rank = 0; rank < size(); ++rank) {
    if (node_of(rank) == place_.node) continue;
    for (const std::size_t parity : {0, 1}) {
      const auto place = SharedBarrier::place(barrier_memory(), size(), rank, parity);
      take(window_of_said(rank, parity), node_of(rank), place, place.size());
    }
    const auto farewell = SharedBarrier::farewell_place(barrier_memory(), size(), rank);
    take(window_of_farewell(rank), node_of(rank), farewell, farewell.size());
    take(window_of_made(rank), node_of(rank), {staging_.made_by(rank), staging_.piece_bytes}, staging_.piece_bytes);
  }
  for (int from = 0; from < num_nodes(); ++from) {
    if (from == place_.node) continue;
    const std::size_t bytes = sums_of(from).size() * staging_.piece_bytes;
    for (auto rank = static_cast<int>(staging_.local.begin); rank < static_cast<int>(staging_.local.end); ++rank)
      take(window_of_sums(from, rank), from, {sum_from(from, rank, 0), bytes}, staging_.piece_bytes);
  }
}

}  // namespace troupe
