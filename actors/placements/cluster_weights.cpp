#include <numeric>
#include <random>

#include "actors/node/node_service.hpp"
#include "actors/placements/cluster.hpp"
#include "actors/placements/committed_weights.hpp"

namespace troupe {
namespace {

class ClusterWeights : public CommittedWeights {
 public:
  ClusterWeights(Cluster& cluster, StoreClient& store, AskNodes ask, BeginOnNodes begin)
      : cluster_(cluster), store_(store), ask_(std::move(ask)), begin_(std::move(begin)) {}

  void begin(const SlabLayout& layout, const PlanRequest& plan, int carry, const Deadline& deadline) override {
    const BeginGeneration message = describe(layout, plan, carry);
    run_ = layout.run;
    begin_here(message);
    begin_(message, deadline);
    ask_all(NodeTaskKind::connect, {}, deadline);
    cluster_.data_plane().connect(deadline);
    begun_ = layout.generation;
  }

  void publish(const Deadline& deadline) override { ask_all(NodeTaskKind::publish, {}, deadline); }

  void create(std::uint64_t transfer, int worker, std::size_t floats, const Deadline& deadline) override {
    ask_one(worker, NodeTaskKind::create_transfer, {.transfer = transfer, .floats = floats}, deadline);
  }

  void put(std::uint64_t transfer, std::span<const float> values, const Deadline& deadline) override {
    const NodeTask task{.transfer = transfer, .floats = values.size(), .ticket = ++last_ticket_};
    ask_one(0, NodeTaskKind::expect_transfer, task, deadline);
    send_floats(cluster_.data_plane(), 0, kTransferWindow, task.ticket, values, deadline);
    ask_one(0, NodeTaskKind::end_transfer, task, deadline);
  }

  void fetch(std::uint64_t transfer, int worker, std::size_t floats, const ReadWeights& use,
             const Deadline& deadline) override {
    // How much that is the worker said: what the quota has no room for is refused, and taken from nobody.
    const Fetched fetched(store_, transfer_id(run_, transfer), floats);
    DataPlane& data_plane = cluster_.data_plane();
    data_plane.withdraw(kTransferWindow);  // of a transfer that came to nothing
    data_plane.announce(kTransferWindow, cluster_.node_of_worker(worker),
                        std::as_writable_bytes(fetched.mapping->writable_floats().first(floats)), kTransferSegmentBytes,
                        fetched.mapping);
    const NodeTask task{.transfer = transfer, .floats = floats, .ticket = ++last_ticket_};
    ask_one(worker, NodeTaskKind::send_transfer, task, deadline);
    wait_for_floats(data_plane, kTransferWindow, task.ticket, floats, deadline);
    data_plane.withdraw(kTransferWindow);
    use(fetched.mapping->floats().first(floats));
  }

  void place(std::uint64_t transfer, int buffer, const Deadline& deadline) override {
    const NodeTask task{.transfer = transfer, .buffer = buffer, .ticket = ++last_ticket_};
    std::vector<int> others = all_nodes();
    others.erase(others.begin());
    // What the first node may write is announced before it is told to send, and only for this once.
    if (!others.empty()) ask_(complete(task, NodeTaskKind::expect_placed, deadline), others, deadline);
    ask_all(NodeTaskKind::place, task, deadline);
  }

  void drop(std::uint64_t transfer, int worker, bool failed, const Deadline& deadline) noexcept override {
    if (failed) return;
    try {
      ask_one(worker, NodeTaskKind::drop_transfer, {.transfer = transfer}, deadline);
    } catch (const Error&) {
      return;  // The next generation drops it.
    }
  }

 private:
  /// What is fetched, for as long as it is shown.
  struct Fetched {
    Fetched(StoreClient& where, const ObjectId& name, std::size_t floats)
        : store(where), id(name), mapping(store.create(id, floats * sizeof(float))) {}
    ~Fetched() {
      try {
        store.release(id);
        store.trim();  // transfers are rare, and large
      } catch (const Error&) {
        return;  // The store is gone, and the object with it.
      }
    }
    Fetched(const Fetched&) = delete;
    Fetched& operator=(const Fetched&) = delete;

    StoreClient& store;
    ObjectId id;
    std::shared_ptr<Mapping> mapping;
  };

  BeginGeneration describe(const SlabLayout& layout, const PlanRequest& plan, int carry) const {
    BeginGeneration message;
    message.run = layout.run;
    message.generation = layout.generation;
    std::random_device random;
    for (std::size_t i = 0; i < Token{}.size(); ++i) message.token.push_back(static_cast<char>(random()));
    message.peers = cluster_.peers();
    message.streams = cluster_.streams();
    message.size = layout.size;
    message.state_vectors = layout.state_vectors;
    message.carry = carry;
    message.carried_generation = begun_;
    message.plan = plan;
    return message;
  }

  void begin_here(BeginGeneration message) {
    message.self = cluster_.size();
    cluster_.data_plane().begin(membership_of(message));
  }

  static NodeTask complete(NodeTask task, NodeTaskKind kind, const Deadline& deadline) {
    task.kind = kind;
    task.timeout_ms = deadline.left().count();
    return task;
  }
  /// The node where a worker is.
  void ask_one(int worker, NodeTaskKind kind, const NodeTask& task, const Deadline& deadline) {
    ask_(complete(task, kind, deadline), {cluster_.node_of_worker(worker)}, deadline);
  }
  void ask_all(NodeTaskKind kind, const NodeTask& task, const Deadline& deadline) {
    ask_(complete(task, kind, deadline), all_nodes(), deadline);
  }
  std::vector<int> all_nodes() const {
    std::vector<int> nodes(static_cast<std::size_t>(cluster_.size()));
    std::iota(nodes.begin(), nodes.end(), 0);
    return nodes;
  }

  Cluster& cluster_;
  StoreClient& store_;
  AskNodes ask_;
  BeginOnNodes begin_;
  std::uint64_t run_ = 0;
  std::uint64_t last_ticket_ = 0;
  std::uint64_t begun_ = 0;  ///< the last generation that began everywhere
};

}  // namespace

std::unique_ptr<CommittedWeights> keep_weights_in_nodes(Cluster& cluster, StoreClient& store, AskNodes ask,
                                                        BeginOnNodes begin) {
  return std::make_unique<ClusterWeights>(cluster, store, std::move(ask), std::move(begin));
}

}  // namespace troupe
