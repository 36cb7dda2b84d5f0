#include "collectives/plan/flows.hpp"

#include <algorithm>

#include "collectives/plan/tree.hpp"

namespace troupe {
namespace {

constexpr std::size_t kLeastSegment = 4 * kTreeChunk;  // 32 KiB
constexpr std::size_t kMostSegment = 64 * kTreeChunk;  // 512 KiB
/// The largest segment, in floats, for slices with at least kManySegments segments of this size. Larger segments need
/// fewer system calls.
constexpr std::size_t kMostSegmentOfLarge = 2 * kMostSegment;
constexpr std::size_t kManySegments = 16;
constexpr std::size_t kSegmentsInSlice = 2;

constexpr std::size_t kLeastPassedOn = 16 * kTreeChunk;  // 128 KiB

/// Returns true if each node sends the new weights of a slice on to the next node (the ring of nodes). Returns false if
/// the owner sends the weights directly to all nodes. Large slices are sent around the ring, because each link then
/// carries one stream at full rate, instead of several streams that compete at the receivers. Small slices are sent
/// directly, because each hop adds latency.
bool passes_weights_on(const Plan& plan) {
  const auto larger = [](const Range& a, const Range& b) { return a.size() < b.size(); };
  const auto largest = std::max_element(plan.slices.begin(), plan.slices.end(), larger);
  return plan.strategy != Strategy::parameter_server && largest != plan.slices.end() &&
         largest->size() >= kLeastPassedOn;
}

/// Adds flows to a plan. Each call of `make` adds the flows of the slice of one lane, its owner.
class FlowMaker {
 public:
  explicit FlowMaker(Plan& plan) : plan_(plan), topology_(plan.topology), handlers_(make_handlers()) {}

  void make(int owner) {
    owner_ = owner;
    if (plan_.ring_order)
      pass_sums();
    else
      send_partials();
    if (plan_.weights_in_ring)
      pass_weights();
    else
      send_weights();
  }

 private:
  int node_of(int lane) const { return topology_.node_of(lane); }

  /// Returns the table handlers[node][owner]: the lane on `node` that sends and receives the data of the slice that
  /// lane `owner` owns. On each node, the owners on other nodes are assigned to the node's lanes in turn, starting with
  /// the first owner on the next node. So each lane has about the same amount of work.
  std::vector<std::vector<int>> make_handlers() const {
    const auto lanes = static_cast<std::size_t>(topology_.num_lanes());
    std::vector<std::vector<int>> handlers;
    for (int node = 0; node < topology_.num_nodes(); ++node) {
      const Range own = topology_.lanes_of_node(node);
      std::vector<int> handler(lanes, static_cast<int>(own.begin));
      std::size_t turn = 0;
      for (std::size_t i = 0; i < lanes; ++i) {
        const std::size_t owner = (own.end + i) % lanes;
        if (node_of(static_cast<int>(owner)) == node || plan_.slices[owner].empty()) continue;
        handler[owner] = static_cast<int>(own.begin + turn++ % own.size());
      }
      handlers.push_back(handler);
    }
    return handlers;
  }

  int handler(int node) const { return handlers_[static_cast<std::size_t>(node)][static_cast<std::size_t>(owner_)]; }

  void add(Flow::Kind kind, int from_lane, int to_lane, const Range& shards = {}) {
    plan_.flows.push_back({kind, owner_, from_lane, to_lane, node_of(from_lane), node_of(to_lane), shards});
  }

  void add_partials(int from_lane, const Range& shards) {
    const auto num_shards = static_cast<std::size_t>(topology_.num_shards);
    for (const Range& subtree : complete_subtrees(num_shards, shards.begin, shards.end))
      add(Flow::Kind::partial, from_lane, owner_, subtree);
  }

  /// Adds the flows of partial sums, which are sent directly to the owner and added in the fixed tree. Each partial sum
  /// covers a complete subtree of the shards of a node (strategy hierarchical) or of a lane (ring), or a single shard
  /// (strategy parameter-server).
  void send_partials() {
    const int own_node = node_of(owner_);
    if (plan_.strategy == Strategy::hierarchical) {
      for (int node = 0; node < topology_.num_nodes(); ++node)
        if (node != own_node) add_partials(handler(node), topology_.shards_of_node(node));
      return;
    }
    for (int lane = 0; lane < topology_.num_lanes(); ++lane) {
      if (node_of(lane) == own_node) continue;
      const Range shards = topology_.shards_of_lane(lane);
      if (plan_.strategy == Strategy::ring)
        add_partials(lane, shards);
      else
        for (std::size_t shard = shards.begin; shard < shards.end; ++shard)
          add(Flow::Kind::partial, lane, owner_, {shard, shard + 1});
    }
  }

  /// Adds the flows of running sums, for ring order. A member of the ring is a lane (strategy ring) or a node
  /// (hierarchical). The running sum starts at the member after the owner. Each member adds its shards and sends the
  /// sum to the next member, until the sum reaches the owner. Members without shards are skipped.
  void pass_sums() {
    const bool by_lane = plan_.strategy == Strategy::ring;
    const int members = by_lane ? topology_.num_lanes() : topology_.num_nodes();
    const int own_member = by_lane ? owner_ : node_of(owner_);
    int last = -1;
    for (int step = 1; step < members; ++step) {
      const int member = (own_member + step) % members;
      if ((by_lane ? topology_.shards_of_lane(member) : topology_.shards_of_node(member)).empty()) continue;
      const int lane = by_lane ? member : handler(member);
      if (last >= 0) add(Flow::Kind::running_sum, last, lane);
      last = lane;
    }
    if (last >= 0) add(Flow::Kind::running_sum, last, owner_);
  }

  /// Adds flows of weights directly from the owner to each other node, starting with the node after the owner's.
  void send_weights() {
    const int nodes = topology_.num_nodes();
    for (int step = 1; step < nodes; ++step)
      add(Flow::Kind::weights, owner_, handler((node_of(owner_) + step) % nodes));
  }

  /// Adds flows of weights around the ring of nodes: from the owner's node to the next node, from there to the node
  /// after that, and so on.
  void pass_weights() {
    const int nodes = topology_.num_nodes();
    int last = owner_;
    for (int step = 1; step < nodes; ++step) {
      const int lane = handler((node_of(owner_) + step) % nodes);
      add(Flow::Kind::weights, last, lane);
      last = lane;
    }
  }

  Plan& plan_;
  const Topology& topology_;
  std::vector<std::vector<int>> handlers_;
  int owner_ = 0;
};

}  // namespace

void add_flows(Plan& plan) {
  if (plan.topology.num_nodes() < 2) return;
  plan.weights_in_ring = passes_weights_on(plan);
  FlowMaker maker(plan);
  for (std::size_t owner = 0; owner < plan.slices.size(); ++owner)
    if (!plan.slices[owner].empty()) maker.make(static_cast<int>(owner));
}

std::size_t segment_floats(std::size_t slice_floats) {
  const std::size_t most = std::clamp(slice_floats / kManySegments, kMostSegment, kMostSegmentOfLarge);
  const std::size_t part = std::clamp(slice_floats / kSegmentsInSlice, kLeastSegment, most);
  return (part + kTreeChunk - 1) / kTreeChunk * kTreeChunk;
}

}  // namespace troupe
