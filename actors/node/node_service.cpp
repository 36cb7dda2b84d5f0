#include "actors/node/node_service.hpp"

#include <algorithm>
#include <cstring>

namespace troupe {
namespace {

constexpr std::size_t kSegmentFloats = kTransferSegmentBytes / sizeof(float);

void copy(std::span<const float> from, std::span<float> to) { std::memcpy(to.data(), from.data(), from.size_bytes()); }

}  // namespace

void set_local_shards(SlabLayout& layout, const Topology& topology, int node) {
  const Range shards = topology.shards_of_node(node);
  if (shards.empty()) throw Error(ErrorCode::protocol, "a node without workers", {.node = std::to_string(node)});
  layout.num_shards = topology.num_shards;
  layout.first_shard = static_cast<int>(shards.begin);
  layout.end_shard = static_cast<int>(shards.end);
}

Membership membership_of(const BeginGeneration& request) {
  Membership membership;
  membership.run = request.run;
  membership.generation = request.generation;
  if (request.token.size() != membership.token.size())
    throw Error(ErrorCode::protocol, "a token of " + std::to_string(request.token.size()) + " bytes");
  std::memcpy(membership.token.data(), request.token.data(), membership.token.size());
  membership.self = request.self;
  membership.streams = request.streams;
  for (const NodePeer& peer : request.peers)
    membership.nodes.push_back({peer.name, {peer.host, peer.port}, Role::node, peer.label});
  membership.nodes.back().role = Role::driver;
  return membership;
}

ObjectId transfer_id(std::uint64_t run, std::uint64_t number) {
  ObjectId id;
  id.run = run;
  id.number = number;
  id.kind = ObjectKind::transfer;
  return id;
}

void send_floats(Transport& transport, int to, WindowId window, std::uint64_t ticket, std::span<const float> floats,
                 const Deadline& deadline) {
  for (std::size_t begin = 0; begin < floats.size(); begin += kSegmentFloats)
    transport.send(to, window, ticket, static_cast<std::uint32_t>(begin / kSegmentFloats),
                   std::as_bytes(floats.subspan(begin, std::min(kSegmentFloats, floats.size() - begin))), deadline);
}

void wait_for_floats(Transport& transport, WindowId window, std::uint64_t ticket, std::size_t floats,
                     const Deadline& deadline) {
  for (std::size_t begin = 0; begin < floats; begin += kSegmentFloats)
    transport.wait(window, ticket, static_cast<std::uint32_t>(begin / kSegmentFloats), deadline);
}

NodeService::NodeService(ObjectStore& store, std::shared_ptr<const Credentials> credentials, Address driver,
                         int threads, std::shared_ptr<net::RefusalLog> log)
    : store_(store.connect()),
      data_plane_(std::move(credentials), threads, std::move(log)),
      driver_(std::move(driver)) {}

std::shared_ptr<NodeExchange> NodeService::exchange() const {
  const std::lock_guard lock(mutex_);
  return {generation_, generation_->exchange.get()};
}

void NodeService::begin(const BeginGeneration& request) {
  Membership membership = membership_of(request);
  membership.nodes.back().address = driver_;
  data_plane_.begin(membership);
  while (!transfers_.empty()) drop_transfer(transfers_.back().number);
  self_ = request.self;
  num_nodes_ = static_cast<int>(request.peers.size()) - 1;
  run_ = request.run;
  const Plan plan = make_plan(request.plan, request.size);
  auto next = std::make_shared<Generation>();
  SlabLayout& layout = next->layout;
  layout.run = request.run;
  layout.generation = request.generation;
  layout.size = request.size;
  layout.state_vectors = request.state_vectors;
  set_local_shards(layout, request.plan.topology, self_);
  next->slabs = std::make_unique<SharedSlabs>(*store_, layout);
  if (request.carry >= 0) carry_on(request, *next);
  next->transport = data_plane_.transport();
  std::vector<std::span<float>> weights{next->slabs->weights(0), next->slabs->weights(1)};
  next->exchange = std::make_unique<NodeExchange>(plan, self_, *next->transport, *store_, layout, std::move(weights));
  const std::lock_guard lock(mutex_);
  generation_ = std::move(next);
}

/// The committed content lies in the last generation that began everywhere, or, where a later one began here but not
/// everywhere, in that one's first buffer.
void NodeService::carry_on(const BeginGeneration& request, Generation& next) const {
  next.carried_generation = request.carried_generation;
  next.carry = request.carry;
  const Generation* now = generation_.get();
  const bool is_last = now != nullptr && now->layout.generation == request.carried_generation;
  const bool began_from_it =
      now != nullptr && now->carried_generation == request.carried_generation && now->carry == request.carry;
  if ((!is_last && !began_from_it) || now->layout.size != next.layout.size)
    throw Error(ErrorCode::protocol, "this node does not hold the committed weights");
  const int buffer = is_last ? request.carry : 0;
  copy(now->slabs->weights(buffer), next.slabs->weights(0));
  for (int vector = 0; vector < next.layout.state_vectors; ++vector)
    copy(now->slabs->state(vector, buffer), next.slabs->state(vector, 0));
}

void NodeService::task(const NodeTask& request) {
  switch (request.kind) {
    case NodeTaskKind::connect:
      return data_plane_.connect(Deadline(std::chrono::milliseconds(request.timeout_ms)));
    case NodeTaskKind::publish:
      return generation_->slabs->seal();
    case NodeTaskKind::create_transfer:
      return create_transfer(request);
    case NodeTaskKind::expect_transfer:
      return expect_transfer(request);
    case NodeTaskKind::end_transfer:
      return end_transfer(request);
    case NodeTaskKind::send_transfer:
      return send_transfer(request);
    case NodeTaskKind::drop_transfer:
      return drop_transfer(request.transfer);
    case NodeTaskKind::expect_placed:
      return data_plane_.announce(kPlaceWindow, 0, std::as_writable_bytes(generation_->slabs->weights(request.buffer)),
                                  kTransferSegmentBytes);
    case NodeTaskKind::place:
      return self_ == 0 ? place(request) : await_placed(request);
  }
}

void NodeService::create_transfer(const NodeTask& request) {
  auto mapping =
      store_->create(transfer_id(run_, request.transfer), request.floats * sizeof(float), {.shared_writers = true});
  transfers_.push_back({request.transfer, std::move(mapping)});
}

void NodeService::expect_transfer(const NodeTask& request) {
  create_transfer(request);
  const auto& mapping = transfers_.back().mapping;
  data_plane_.withdraw(kTransferWindow);  // of a transfer that came to nothing
  data_plane_.announce(kTransferWindow, num_nodes_,
                       std::as_writable_bytes(mapping->writable_floats().first(request.floats)), kTransferSegmentBytes,
                       mapping);
}

void NodeService::end_transfer(const NodeTask& request) {
  wait_for_floats(data_plane_, kTransferWindow, request.ticket, request.floats,
                  Deadline(std::chrono::milliseconds(request.timeout_ms)));
  data_plane_.withdraw(kTransferWindow);
  store_->seal(transfer_id(run_, request.transfer));
}

void NodeService::send_transfer(const NodeTask& request) {
  send_floats(data_plane_, num_nodes_, kTransferWindow, request.ticket,
              transfer(request.transfer).mapping->floats().first(request.floats),
              Deadline(std::chrono::milliseconds(request.timeout_ms)));
}

void NodeService::drop_transfer(std::uint64_t number) {
  const auto found = std::find_if(transfers_.begin(), transfers_.end(),
                                  [number](const Transfer& each) { return each.number == number; });
  if (found == transfers_.end()) return;
  data_plane_.withdraw(kTransferWindow);
  transfers_.erase(found);
  store_->release(transfer_id(run_, number));
  store_->trim();  // transfers are rare, and large
}

void NodeService::place(const NodeTask& request) {
  const auto weights = generation_->slabs->weights(request.buffer);
  copy(transfer(request.transfer).mapping->floats().first(weights.size()), weights);
  start_from(request.buffer);
  const Deadline deadline(std::chrono::milliseconds(request.timeout_ms));
  for (int node = 1; node < num_nodes_; ++node)
    send_floats(data_plane_, node, kPlaceWindow, request.ticket, weights, deadline);
}

void NodeService::await_placed(const NodeTask& request) {
  wait_for_floats(data_plane_, kPlaceWindow, request.ticket, generation_->layout.size,
                  Deadline(std::chrono::milliseconds(request.timeout_ms)));
  data_plane_.withdraw(kPlaceWindow);
  start_from(request.buffer);
}

/// New weights have no momentum yet.
void NodeService::start_from(int buffer) {
  for (int vector = 0; vector < generation_->layout.state_vectors; ++vector) {
    const auto state = generation_->slabs->state(vector, buffer);
    std::fill(state.begin(), state.end(), 0.0F);
  }
}

NodeService::Transfer& NodeService::transfer(std::uint64_t number) {
  for (Transfer& each : transfers_)
    if (each.number == number) return each;
  throw Error(ErrorCode::protocol, "there is no transfer " + std::to_string(number));
}

}  // namespace troupe
