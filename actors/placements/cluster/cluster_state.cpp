#include <set>

#include "actors/node/floats.hpp"
#include "actors/node/memberships.hpp"
#include "actors/node/node_service.hpp"
#include "actors/placements/cluster/begin_on_nodes.hpp"
#include "actors/placements/state_home.hpp"
#include "actors/rounds/rounds.hpp"

namespace troupe {
namespace {

/// An object in the driver's store that contains floats which a worker has sent. The destructor releases the object.
class Fetched {
 public:
  Fetched(StoreClient& store, const ObjectId& id, std::size_t floats)
      : store_(store), id_(id), mapping_(store.create(id, floats * sizeof(float))), floats_(floats) {}
  ~Fetched() {
    try {
      store_.release(id_);
      store_.trim();  // return the memory to the system, because transfers are rare and large
    } catch (const Error&) {
      return;  // The store and the object are gone.
    }
  }
  Fetched(const Fetched&) = delete;
  Fetched& operator=(const Fetched&) = delete;

  const std::shared_ptr<Mapping>& mapping() const { return mapping_; }
  std::span<float> floats() const { return mapping_->writable_floats().first(floats_); }

 private:
  StoreClient& store_;
  ObjectId id_;
  std::shared_ptr<Mapping> mapping_;
  std::size_t floats_;
};

class ClusterState : public StateHome {
 public:
  ClusterState(Memberships& nodes, const Members& members, Rounds& rounds, StoreClient& store, std::string optimizer)
      : nodes_(nodes), members_(members), rounds_(rounds), store_(store), optimizer_(std::move(optimizer)) {}

  bool in_parts() const override { return true; }

  void begin(const SlabLayout& layout, const PlanRequest& plan, const std::vector<int>& carried,
             const Phase& phase) override {
    try {
      begin_everywhere(describe(layout, plan, carried), phase);
    } catch (...) {
      rounds_.unsettle();  // this is also needed if the rounds succeeded, but the driver could not connect to the nodes
      throw;
    }
    layout_ = layout;
    begun_ = layout.generation;
  }

  void publish(const std::vector<std::vector<std::uint64_t>>& gradients, const Phase& phase) override {
    Publish request;
    if (!layout_.served.empty()) request.gradients = gradients.front();
    rounds_.ask(request, members_.nodes(), phase);
  }

  void begin_alone(int worker, const SlabLayout& layout, const PlanRequest& plan, const std::vector<int>& carried,
                   const std::function<void()>& attach, const Phase& phase) override {
    BeginGeneration message = describe(layout, plan, carried);
    message.self = members_.num_nodes();
    nodes_.data_plane().begin(membership_of(message));
    message.self = members_.node_of(worker);
    for (int node = 0; node < members_.num_nodes(); ++node)
      if (node != message.self)
        message.peers[static_cast<std::size_t>(node)].address = {};  // so that this node connects to no other node
    ask_home(worker, message, phase);
    ask_home(worker, Connect{0, phase.deadline.left().count()}, phase);
    attach();
    ask_home(worker, Publish{}, phase);
  }

  void create(std::uint64_t transfer, int worker, std::size_t floats, const Phase& phase) override {
    ask_home(worker, CreateTransfer{0, transfer, floats}, phase);
  }

  void put(std::uint64_t transfer, const std::vector<int>& readers, std::size_t floats, const FillFloats& fill,
           const Phase& phase) override {
    std::vector<float> values(floats);
    fill(values);
    const std::uint64_t ticket = ++last_ticket_;
    const std::vector<int> homes = homes_of(readers);
    ask(ExpectTransfer{0, transfer, values.size()}, homes, phase);
    for (const int home : homes)
      send_floats(nodes_.data_plane(), members_.node_of(home), kTransferWindow, ticket, values, phase.deadline);
    ask(EndTransfer{0, transfer, values.size(), ticket, phase.deadline.left().count()}, homes, phase);
  }

  void withdraw(const std::vector<int>& readers, const Phase& phase) override {
    ask(DropTransfers{}, homes_of(readers), phase);
  }

  HeldFloats fetch(std::uint64_t transfer, int worker, std::size_t floats, const Phase& phase) override {
    // `floats` is a number that the worker has sent, so it cannot be trusted. If it exceeds the store's quota, creating
    // the object throws before any memory is allocated.
    auto fetched = std::make_shared<Fetched>(store_, transfer_id(layout_.run, transfer), floats);
    DataPlane& data_plane = nodes_.data_plane();
    expect_floats(data_plane, kTransferWindow, members_.node_of(worker), fetched->floats(), fetched->mapping());
    const std::uint64_t ticket = ++last_ticket_;
    ask_home(worker, SendTransfer{0, transfer, floats, ticket, phase.deadline.left().count()}, phase);
    wait_for_floats(data_plane, kTransferWindow, ticket, floats, phase.deadline);
    data_plane.withdraw(kTransferWindow);
    return {fetched->floats(), fetched};
  }

  void place(std::uint64_t transfer, int vector, int buffer, const Phase& phase) override {
    const std::int64_t timeout = phase.deadline.left().count();
    if (const int shard = layout_.shard_of(vector); shard >= 0) {  // the vectors of a shard exist on one node only
      const Place alone{0, transfer, vector, buffer, ++last_ticket_, timeout, true};
      return ask(alone, {members_.member_of_node(node_of_shard(shard))}, phase);
    }
    std::vector<int> others = members_.nodes();
    others.erase(others.begin());
    // First all other nodes announce their windows. The first node may send only after that. Each window is valid for
    // one transfer.
    if (!others.empty()) ask(ExpectPlaced{0, vector, buffer}, others, phase);
    ask(Place{0, transfer, vector, buffer, ++last_ticket_, timeout}, members_.nodes(), phase);
  }

  void clear(int buffer, const Phase& phase) override { ask(ClearState{0, buffer}, members_.nodes(), phase); }

  void gather(int vector, int buffer, const Phase& phase) override {
    if (vector == kWeightsVector || members_.num_nodes() == 1 || layout_.shard_of(vector) >= 0)
      return;  // the vector is complete already
    ask_home(0, ExpectSlices{0, vector, buffer}, phase);
    ask(GatherSlices{0, vector, buffer, ++last_ticket_, phase.deadline.left().count()}, members_.nodes(), phase);
  }

  void forget_transfers() noexcept override {}

 private:
  void begin_everywhere(BeginGeneration message, const Phase& phase) {
    message.self = members_.num_nodes();
    nodes_.data_plane().begin(membership_of(message));
    begin_on_nodes(std::move(message), members_, rounds_, phase);
    nodes_.data_plane().connect(phase.deadline);
  }

  BeginGeneration describe(const SlabLayout& layout, const PlanRequest& plan, const std::vector<int>& carried) const {
    BeginGeneration message;
    message.run = layout.run;
    message.generation = layout.generation;
    nodes_.describe_members(message);
    message.size = layout.size;
    message.state = layout;
    message.buffers = layout.buffers;
    message.carried = carried;
    message.carried_generation = begun_;
    message.plan = plan;
    message.served_devices = layout.served.empty() ? 0 : members_.devices();
    message.learned_size = layout.learned_size;
    message.optimizer = optimizer_;
    return message;
  }

  int node_of_shard(int shard) const {
    for (int node = 0; node < members_.num_nodes(); ++node)
      if (static_cast<std::size_t>(shard) < members_.topology().shards_of_node(node).end) return node;
    return members_.num_nodes() - 1;
  }

  template <class Request>
  void ask(const Request& request, const std::vector<int>& members, const Phase& phase) {
    rounds_.ask(request, members, Phase{"transfer", phase.step, phase.deadline});
  }
  /// Returns the member numbers of the nodes that host `workers`.
  std::vector<int> homes_of(const std::vector<int>& workers) const {
    std::set<int> homes;
    for (const int worker : workers) homes.insert(members_.member_of_node(members_.node_of(worker)));
    return {homes.begin(), homes.end()};
  }
  /// Sends `request` to the node that hosts `worker`, and waits for the reply.
  template <class Request>
  void ask_home(int worker, const Request& request, const Phase& phase) {
    ask(request, {members_.member_of_node(members_.node_of(worker))}, phase);
  }

  Memberships& nodes_;
  const Members& members_;
  Rounds& rounds_;
  StoreClient& store_;
  std::string optimizer_;  ///< OptimizerSettings as JSON, for parameter servers
  SlabLayout layout_;
  std::uint64_t last_ticket_ = 0;
  std::uint64_t begun_ = 0;  ///< the last generation that began on all nodes
};

}  // namespace

std::unique_ptr<StateHome> keep_state_in_nodes(Memberships& nodes, const Members& members, Rounds& rounds,
                                               StoreClient& store, std::string optimizer) {
  return std::make_unique<ClusterState>(nodes, members, rounds, store, std::move(optimizer));
}

}  // namespace troupe
