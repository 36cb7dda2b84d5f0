#include "collectives/exchange/exchange.hpp"

#include <utility>

#include "collectives/exchange/lane_exchange.hpp"
#include "collectives/plan/flows.hpp"
#include "troupe/error.hpp"
#include "troupe/optimizer.hpp"

namespace troupe {

class NodeExchange::Impl {
 public:
  Impl(const Plan& plan, int node, Transport& transport, StoreClient& store, const SlabLayout& layout,
       std::vector<std::span<float>> weights)
      : plan_(plan), lanes_(plan.topology.lanes_of_node(node)), store_(store), layout_(layout) {
    windows_ = {&plan_, &transport, std::move(weights), std::vector<std::span<float>>(plan.flows.size())};
    try {
      make_staging();
      announce(node);
      exchanges_.reserve(lanes_.size());
      for (std::size_t lane = lanes_.begin; lane < lanes_.end; ++lane)
        exchanges_.emplace_back(windows_, static_cast<int>(lane));
    } catch (...) {
      release();
      throw;
    }
  }
  ~Impl() { release(); }
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;

  bool one_lane() const { return lanes_.size() == 1; }
  int non_finite_sums_from(const Range& owners) const {
    const auto lane_of = [](int lane) { return static_cast<std::size_t>(lane); };
    for (std::size_t i = 0; i < plan_.flows.size(); ++i) {
      const Flow& flow = plan_.flows[i];
      const bool asked = lane_of(flow.owner) >= owners.begin && lane_of(flow.owner) < owners.end;
      if (!asked || flow.from_node == flow.to_node || windows_.staging[i].empty()) continue;
      // A running sum that this node sent on was changed after it had arrived. So for such a sum, the result of the
      // check on its arrival is used.
      const bool ends_here = flow.to_lane == flow.owner;
      const bool finite = ends_here ? all_finite(windows_.staging[i])
                                    : !exchanges_[lane_of(flow.to_lane) - lanes_.begin].has_passed_non_finite(i);
      if (!finite) return flow.from_node;
    }
    return -1;
  }
  LaneExchange& exchange(int lane) {
    const auto index = static_cast<std::size_t>(lane);
    if (index < lanes_.begin || index >= lanes_.end)
      throw Error(ErrorCode::invalid_argument, "replica " + std::to_string(lane) + " is not on this node");
    return exchanges_[index - lanes_.begin];
  }

 private:
  /// Creates a staging slab for each lane of this node that receives sums. The slab has room for one slice for each
  /// flow of sums to the lane.
  void make_staging() {
    for (int lane = static_cast<int>(lanes_.begin); lane < static_cast<int>(lanes_.end); ++lane) {
      std::size_t floats = 0;
      for (const Flow& flow : plan_.flows) floats += staging_floats(flow, lane);
      if (floats == 0) continue;
      const ObjectId id = layout_.id(ObjectKind::partial, lane);
      mappings_.push_back(store_.create(id, floats * sizeof(float)));
      held_.push_back(id);
      std::span<float> rest = mappings_.back()->writable_floats();
      for (std::size_t i = 0; i < plan_.flows.size(); ++i) {
        const std::size_t taken = staging_floats(plan_.flows[i], lane);
        if (taken == 0) continue;
        windows_.staging[i] = rest.first(plan_.slice_of(plan_.flows[i].owner).size());
        rest = rest.subspan(taken);
      }
    }
  }

  /// Returns the number of floats that `flow` needs in the staging slab of `lane`, rounded up to whole pages; 0 if the
  /// flow does not use this slab.
  std::size_t staging_floats(const Flow& flow, int lane) const {
    if (flow.to_lane != lane || flow.kind == Flow::Kind::weights) return 0;
    return (plan_.slice_of(flow.owner).size() + kPageFloats - 1) / kPageFloats * kPageFloats;
  }

  void announce(int node) {
    const std::size_t buffers = windows_.weights.size();
    for (std::size_t i = 0; i < plan_.flows.size(); ++i) {
      const Flow& flow = plan_.flows[i];
      if (flow.to_node != node) continue;
      const Range& range = plan_.slice_of(flow.owner);
      const bool weights = flow.kind == Flow::Kind::weights;
      for (std::size_t buffer = 0; buffer < (weights ? buffers : 1); ++buffer) {
        const auto floats = weights ? windows_.weights[buffer].subspan(range.begin, range.size()) : windows_.staging[i];
        windows_.transport->announce(window_of(i, buffer, buffers), flow.from_node, std::as_writable_bytes(floats),
                                     segment_floats(range.size()) * sizeof(float));
      }
    }
  }

  void release() noexcept {
    for (const ObjectId& id : held_) {
      try {
        store_.release(id);
      } catch (const Error&) {
        return;  // The store and its objects are gone.
      }
    }
  }

  Plan plan_;
  Range lanes_;
  StoreClient& store_;
  SlabLayout layout_;
  NodeWindows windows_;
  std::vector<ObjectId> held_;
  std::vector<std::shared_ptr<Mapping>> mappings_;
  std::vector<LaneExchange> exchanges_;
};

NodeExchange::NodeExchange(const Plan& plan, int node, Transport& transport, StoreClient& store,
                           const SlabLayout& layout, std::vector<std::span<float>> weights)
    : impl_(std::make_unique<Impl>(plan, node, transport, store, layout, std::move(weights))) {}

NodeExchange::~NodeExchange() = default;

void NodeExchange::start(const Work& work) {
  if (impl_->one_lane()) impl_->exchange(work.lane).start(work);
}

ExchangeReport NodeExchange::run(const Work& work, const ApplyChunk& apply) {
  return impl_->exchange(work.lane).run(work, apply);
}

ExchangeReport NodeExchange::reduce(const Work& work, const ApplyChunk& keep) {
  return impl_->exchange(work.lane).reduce(work, keep);
}

ExchangeReport NodeExchange::share(const Work& work, std::span<const float> mean, const ApplyChunk& apply) {
  return impl_->exchange(work.lane).share(work, mean, apply);
}

int NodeExchange::non_finite_sums_from(const Range& owners) const { return impl_->non_finite_sums_from(owners); }

bool NodeExchange::idle(int lane) const { return impl_->exchange(lane).idle(); }

}  // namespace troupe
