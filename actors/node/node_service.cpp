#include "actors/node/node_service.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "actors/messages/bounds.hpp"
#include "actors/worker/handlers/transfer_object.hpp"

namespace troupe {

namespace {

/// Returns the ranks of the workers on node `node`, as a range.
/// @param devices number of lanes per worker
/// @throws Error protocol if the lanes of a worker are on different nodes
Range served_ranks(const Plan& plan, int node, int devices) {
  const Range lanes = plan.topology.lanes_of_node(node);
  const auto each = static_cast<std::size_t>(devices);
  if (lanes.begin % each != 0 || lanes.end % each != 0)
    throw Error(ErrorCode::protocol, "a worker's lanes are not all on one node");
  return {lanes.begin / each, lanes.end / each};
}

}  // namespace

template <class Request>
Membership membership_of(const Request& request) {
  Membership membership;
  membership.run = request.run;
  membership.generation = request.generation;
  if (request.token.size() != membership.token.size())
    throw Error(ErrorCode::protocol, "invalid token of " + std::to_string(request.token.size()) + " bytes");
  std::memcpy(membership.token.data(), request.token.data(), membership.token.size());
  if (request.peers.empty()) throw Error(ErrorCode::protocol, "the request lists no members");
  membership.self = request.self;
  membership.streams = request.streams;
  membership.nodes = request.peers;
  membership.nodes.back().role = Role::driver;
  return membership;
}
template Membership membership_of(const BeginGeneration& request);
template Membership membership_of(const BeginGroup& request);

NodeService::NodeService(ObjectStore& store, std::shared_ptr<const Credentials> credentials, Address driver,
                         int threads, std::shared_ptr<net::RefusalLog> log, NodeCopies copies)
    : store_(store.connect()),
      data_plane_(std::move(credentials), threads, std::move(log)),
      driver_(std::move(driver)),
      copies_(std::move(copies)) {}

std::shared_ptr<NodeExchange> NodeService::exchange() const {
  const std::lock_guard lock(mutex_);
  return {generation_, current().exchange.get()};
}

std::shared_ptr<ServerExchange> NodeService::server_exchange() const {
  const std::lock_guard lock(mutex_);
  return {generation_, current().server_exchange.get()};
}

std::shared_ptr<NodeGroup> NodeService::group() const {
  const std::lock_guard lock(mutex_);
  return group_;
}

void NodeService::check_alike(const SlabLayout& layout, const PlanRequest& plan, std::size_t learned_size) const {
  const std::lock_guard lock(mutex_);
  const Shared& now = current();
  const SlabLayout& own = now.state->layout();
  const bool same = static_cast<const StateShape&>(layout) == own && layout.run == own.run &&
                    layout.generation == own.generation && layout.size == own.size && layout.buffers == own.buffers &&
                    layout.num_shards == own.num_shards && layout.shards == own.shards && layout.own == own.own &&
                    plan == now.plan_request;
  // The node knows the learned size only in a run with parameter servers.
  if (same && (!now.served || learned_size == own.learned_size)) return;
  throw Error(ErrorCode::protocol, "the node's generation differs from its worker's in size or plan");
}

NodeService::Shared& NodeService::current() const {
  if (!generation_) throw Error(ErrorCode::protocol, "no generation has begun");
  return *generation_;
}

void NodeService::carry_out(const BeginGeneration& request) {
  Membership membership = membership_of(request);
  membership.nodes.back().address = driver_;
  data_plane_.begin(membership);
  drop_transfers();
  pieces_.clear();
  self_ = request.self;
  num_nodes_ = static_cast<int>(request.peers.size()) - 1;
  run_ = request.run;
  give_up_generation(request);
  auto next = std::make_shared<Shared>();
  next->plan_request = request.plan;
  next->plan = make_plan(request.plan, request.size);
  next->state = std::make_shared<VersionedState>(*store_, layout_of(request, next->plan));
  next->carried_generation = request.carried_generation;
  next->carried = request.carried;
  if (!next->carried.empty()) carry_on(request, *next);
  next->transport = data_plane_.transport();
  if (request.served_devices > 0)
    make_server(request, *next);
  else
    make_exchange(*next);
  const std::lock_guard lock(mutex_);
  before_ = std::exchange(generation_, std::move(next));
}

/// Replaces this node's group by the group that `request` describes. Ranks of the previous group may still wait in it,
/// but they can no longer exchange data with other nodes.
void NodeService::carry_out(const BeginGroup& request) {
  const Membership membership = membership_of(request);
  data_plane_.begin(membership);
  NodeGroup::Place place;
  place.id = {.run = request.run, .generation = request.generation, .kind = ObjectKind::group};
  place.node = request.self;
  place.node_of_rank = request.node_of_rank;
  for (const std::int32_t node : request.node_of_rank) {
    if (node < 0 || static_cast<std::size_t>(node) + 1 >= request.peers.size())
      throw Error(ErrorCode::protocol, "a rank is on a node that is not a member");
    place.names.push_back(
        {static_cast<int>(place.names.size()), membership.nodes[static_cast<std::size_t>(node)].label});
  }
  {
    const std::lock_guard lock(mutex_);
    group_.reset();  // the previous group is released first, so that the store needs memory for one group only
  }
  auto made = std::make_shared<NodeGroup>(std::move(place), data_plane_.transport(), *store_);
  const std::lock_guard lock(mutex_);
  group_ = std::move(made);
}

void NodeService::make_exchange(Shared& next) const {
  std::vector<std::span<float>> weights;
  const SlabLayout& layout = next.state->layout();
  weights.reserve(static_cast<std::size_t>(layout.buffers));
  for (int buffer = 0; buffer < layout.buffers; ++buffer) weights.push_back(next.state->vector(kWeightsVector, buffer));
  next.exchange =
      std::make_unique<NodeExchange>(next.plan, self_, *next.transport, *store_, layout, std::move(weights));
}

SlabLayout NodeService::layout_of(const BeginGeneration& request, const Plan& plan) const {
  request.state.check();
  if (request.buffers < 1 || static_cast<std::size_t>(request.buffers) > kMostBuffers)
    throw Error(ErrorCode::protocol, "a state cannot have " + std::to_string(request.buffers) + " buffers");
  SlabLayout layout{request.state};
  layout.run = request.run;
  layout.generation = request.generation;
  layout.size = request.size;
  layout.learned_size = request.learned_size;
  layout.buffers = request.buffers;
  layout.num_shards = plan.topology.num_shards;
  layout.shards = plan.topology.shards_of_node(self_);
  if (layout.shards.empty())
    throw Error(ErrorCode::protocol, "the node has no workers", {.node = std::to_string(self_)});
  layout.in_part = true;
  layout.own = plan.slice_of_node(self_);
  if (request.served_devices > 0) layout.served = served_ranks(plan, self_, request.served_devices);
  return layout;
}

/// `request.carried_generation` is the last generation that began on all nodes. If this is the previous generation
/// (`before_`), discards the current generation; the previous generation, which contains the committed state, is then
/// current again. Otherwise frees the previous generation.
void NodeService::give_up_generation(const BeginGeneration& request) {
  if (!before_ || before_->state->layout().generation != request.carried_generation) return give_up_before();
  const std::lock_guard lock(mutex_);
  generation_ = std::move(before_);
}

void NodeService::give_up_before() {
  const std::lock_guard lock(mutex_);
  before_.reset();
}

/// Copies the committed and pinned versions of the state into the first buffers of the new generation `next`.
/// `request.carried` lists the buffers of these versions in generation `request.carried_generation`, the last one that
/// began on all nodes. The current generation of this node may be a later one, which was published here but not on all
/// nodes. Then its first buffers contain copies of the versions, in the order of its own `carried`.
/// @throws Error protocol if this node does not have these versions
void NodeService::carry_on(const BeginGeneration& request, Shared& next) const {
  const Shared* now = generation_.get();
  const auto check = [](bool holds) {
    if (!holds) throw Error(ErrorCode::protocol, "this node does not hold the committed weights");
  };
  check(now != nullptr && now->state->layout().size == next.state->layout().size);
  std::vector<int> buffers(request.carried);
  if (now->state->layout().generation != request.carried_generation) {
    check(now->carried_generation == request.carried_generation);
    for (int& buffer : buffers) {
      const auto place = std::ranges::find(now->carried, buffer);
      check(place != now->carried.end());
      buffer = static_cast<int>(place - now->carried.begin());
    }
  }
  next.state->carry(*now->state, buffers);
}

void NodeService::carry_out(const Connect& request) { data_plane_.connect(deadline_of(request)); }

void NodeService::carry_out(const Publish& request) {
  const Shared& now = current();
  now.state->publish();
  give_up_before();
  if (!now.served) return;
  if (request.gradients.size() != static_cast<std::size_t>(now.plan.topology.num_shards))
    throw Error(ErrorCode::protocol, "the number of gradients differs from the number of shards");
  now.served->map({request.gradients}, kMapTimeout);
}

}  // namespace troupe
