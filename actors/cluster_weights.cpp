#include <numeric>
#include <random>

#include "actors/cluster.hpp"
#include "actors/committed_weights.hpp"
#include "actors/node_service.hpp"

namespace troupe {
namespace {

class ClusterWeights : public CommittedWeights {
 public:
  ClusterWeights(Cluster& cluster, AskNodes ask, BeginOnNodes begin)
      : cluster_(cluster), ask_(std::move(ask)), begin_(std::move(begin)) {}

  void begin(const SlabLayout& layout, const PlanRequest& plan, int carry, const Deadline& deadline) override {
    const BeginGeneration message = describe(layout, plan, carry);
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
    const auto values = std::make_shared<std::vector<float>>(floats);
    DataPlane& data_plane = cluster_.data_plane();
    data_plane.withdraw(kTransferWindow);  // of a transfer that came to nothing
    data_plane.announce(kTransferWindow, cluster_.node_of_worker(worker), std::as_writable_bytes(std::span(*values)),
                        kTransferSegmentBytes, values);
    const NodeTask task{.transfer = transfer, .floats = floats, .ticket = ++last_ticket_};
    ask_one(worker, NodeTaskKind::send_transfer, task, deadline);
    wait_for_floats(data_plane, kTransferWindow, task.ticket, floats, deadline);
    data_plane.withdraw(kTransferWindow);
    use(*values);
  }

  void place(std::uint64_t transfer, int buffer, const Deadline& deadline) override {
    ask_all(NodeTaskKind::place, {.transfer = transfer, .buffer = buffer, .ticket = ++last_ticket_}, deadline);
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
    std::vector<int> nodes(static_cast<std::size_t>(cluster_.size()));
    std::iota(nodes.begin(), nodes.end(), 0);
    ask_(complete(task, kind, deadline), nodes, deadline);
  }

  Cluster& cluster_;
  AskNodes ask_;
  BeginOnNodes begin_;
  std::uint64_t last_ticket_ = 0;
  std::uint64_t begun_ = 0;  ///< the last generation that began everywhere
};

}  // namespace

std::unique_ptr<CommittedWeights> keep_weights_in_nodes(Cluster& cluster, AskNodes ask, BeginOnNodes begin) {
  return std::make_unique<ClusterWeights>(cluster, std::move(ask), std::move(begin));
}

}  // namespace troupe
