#include "collectives/plan/program.hpp"

#include <algorithm>
#include <tuple>

#include "collectives/plan/flows.hpp"

namespace troupe {
namespace {

struct Ranked {
  LaneOperation operation;
  int phase = 0;     ///< 0: `contribute` and `pass_sum`, 1: `apply`, 2: `collect`
  int distance = 0;  ///< the distance between the owner and this lane around the ring of nodes or lanes
  int owner = 0;

  auto key() const {
    // Because `distance` is the second element, a node sends its contributions to one node after the other, beginning
    // with the next node in the ring. So at any time, each node receives contributions from about one other node.
    return std::tuple(phase, distance, owner, operation.segment, operation.out);
  }
};

class ProgramMaker {
 public:
  ProgramMaker(const Plan& plan, int lane) : plan_(plan), lane_(lane) {}

  std::vector<LaneOperation> make() {
    for (std::size_t i = 0; i < plan_.flows.size(); ++i) {
      const Flow& flow = plan_.flows[i];
      const int index = static_cast<int>(i);
      if (flow.from_lane == lane_ && flow.kind == Flow::Kind::partial) add(LaneOperation::Kind::contribute, -1, index);
      if (flow.from_lane == lane_ && flow.kind == Flow::Kind::running_sum)
        add(LaneOperation::Kind::pass_sum, incoming(index), index);
      if (flow.to_lane == lane_ && flow.kind == Flow::Kind::weights)
        add(LaneOperation::Kind::collect, index, outgoing(index));
    }
    add_segments(LaneOperation{}, 1, 0, lane_);
    std::sort(ranked_.begin(), ranked_.end(), [](const Ranked& a, const Ranked& b) { return a.key() < b.key(); });
    std::vector<LaneOperation> program;
    program.reserve(ranked_.size());
    for (const Ranked& ranked : ranked_) program.push_back(ranked.operation);
    return program;
  }

 private:
  const Flow& flow(int index) const { return plan_.flows[static_cast<std::size_t>(index)]; }

  void add(LaneOperation::Kind kind, int in, int out) {
    const Flow& any = flow(out >= 0 ? out : in);
    const int phase = kind == LaneOperation::Kind::collect ? 2 : 0;
    add_segments({kind, in, out, 0}, phase, distance(kind, any.owner), any.owner);
  }

  void add_segments(LaneOperation operation, int phase, int distance, int owner) {
    const std::size_t size = plan_.slice_of(owner).size();
    const std::size_t segment = segment_floats(size);
    for (; operation.segment * segment < size; ++operation.segment)
      ranked_.push_back({operation, phase, distance, owner});
  }

  /// Returns the number of hops around the ring from the owner to this lane. For contributions, returns the number of
  /// hops from this lane to the owner, so that the contribution to the next node is sent first.
  int distance(LaneOperation::Kind kind, int owner) const {
    const Topology& topology = plan_.topology;
    if (kind == LaneOperation::Kind::pass_sum && plan_.strategy == Strategy::ring)
      return (lane_ - owner + topology.num_lanes()) % topology.num_lanes();
    const int nodes = topology.num_nodes();
    const int behind = topology.node_of(lane_) - topology.node_of(owner) + nodes;
    return (kind == LaneOperation::Kind::contribute ? 2 * nodes - behind : behind) % nodes;
  }

  /// Returns the index of the flow that this lane must receive before it sends flow `index`; -1 if there is no such
  /// flow. Both flows move the same slice around the ring, so they are adjacent in the plan.
  int incoming(int index) const {
    const bool chained = index > 0 && flow(index - 1).owner == flow(index).owner &&
                         flow(index - 1).kind == flow(index).kind && flow(index - 1).to_lane == lane_;
    return chained ? index - 1 : -1;
  }

  /// Returns the index of the flow with which this lane sends on the data that it has received by flow `index`; -1 if
  /// there is no such flow.
  int outgoing(int index) const {
    const int next = index + 1;
    const bool chained = next < static_cast<int>(plan_.flows.size()) && flow(next).owner == flow(index).owner &&
                         flow(next).kind == flow(index).kind && flow(next).from_lane == lane_;
    return chained ? next : -1;
  }

  const Plan& plan_;
  int lane_;
  std::vector<Ranked> ranked_;
};

}  // namespace

std::vector<LaneOperation> lane_program(const Plan& plan, int lane) { return ProgramMaker(plan, lane).make(); }

}  // namespace troupe
