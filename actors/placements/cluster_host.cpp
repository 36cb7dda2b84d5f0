#include "actors/launch/expiry_notice.hpp"
#include "actors/launch/launch.hpp"
#include "actors/placements/cluster.hpp"
#include "actors/placements/placements.hpp"

namespace troupe {
namespace {

constexpr std::chrono::milliseconds kLookForLate{200};

RunLimits limits_of(const Members& members) {
  const Topology& topology = members.topology();
  return {static_cast<std::size_t>(topology.num_shards), topology.node_of_lane.size(),
          static_cast<std::size_t>(members.num_nodes()) + 1};
}

class ClusterHost : public Host {
 public:
  explicit ClusterHost(const HostParts& parts)
      : options_(parts.options.cluster),
        mailbox_(parts.mailbox),
        members_(parts.members),
        cluster_(parts.system, parts.mailbox.address(), options_, limits_of(members_), members_) {
    note_expiry(options_.certs);
  }

  void gather(const Deadline& deadline) override {
    while (!cluster_.complete()) {
      const auto happening = mailbox_.next_happening(Deadline(std::min(deadline.left(), kLookForLate)));
      cluster_.drop_late();
      if (!happening && deadline.passed())
        throw Error(ErrorCode::timeout,
                    std::to_string(cluster_.missing()) + " of " + std::to_string(options_.num_nodes) +
                        " nodes did not join in time at " + options_.listen,
                    {.phase = "start"});
      if (!happening) continue;
      if (const auto* node = std::get_if<NodeArrival>(&*happening))
        if (cluster_.accept(*node)) mailbox_.watch(node->actor);
      if (const auto* gone = std::get_if<Departure>(&*happening)) cluster_.note_departure(gone->actor);
    }
    for (const int member : members_.nodes()) mailbox_.seat(member, cluster_.node(members_.node_of(member)).actor);
  }

  void start(int worker) override {
    const int node = members_.node_of(worker);
    if (members_.lost(members_.member_of_node(node)))
      throw Error(ErrorCode::worker_lost, "a node has left the run, and its part of the optimizer's state with it",
                  {.worker = worker, .node = cluster_.node(node).name, .phase = "start"});
    mailbox_.send(members_.member_of_node(node), caf::make_message(StartWorker{worker}));
  }
  bool is_expected(const WorkerArrival& arrival) override {
    return cluster_.is_home_of(arrival.join.worker, arrival.actor) && Host::is_expected(arrival);
  }

  std::string node(int member) const override { return cluster_.node(members_.node_of(member)).name; }
  int pid(int worker) const override { return cluster_.node(members_.node_of(worker)).join.pid; }
  std::string how_it_ended(int member, std::chrono::milliseconds /*timeout*/) override {
    const int node = members_.node_of(member);
    const std::string how = cluster_.node(node).how_it_ended();
    if (members_.is_node(member)) return how;
    return members_.lost(members_.member_of_node(node)) ? "of its node, " + how : "";
  }
  void note_end(int member) override {
    if (members_.is_node(member)) cluster_.note_loss(members_.node_of(member));
  }

  std::unique_ptr<StateHome> make_state_home(StoreClient& store, Rounds& rounds) override {
    return keep_state_in_nodes(cluster_, members_, rounds, store);
  }
  bool settles_by_fence() const override { return false; }
  /// Nodes see the end of their connection, and end what belongs to the run.
  bool end_all(bool /*all_stopped*/) override { return true; }

 private:
  const ClusterOptions& options_;
  DriverMailbox& mailbox_;
  const Members& members_;
  Cluster cluster_;
};

/// What the options leave open, Slurm says.
void find_cluster(ClusterOptions& cluster) {
  const auto slurm = cluster.listen.empty() ? find_slurm_cluster() : std::nullopt;
  if (!slurm) return;
  cluster.listen = Address{"0.0.0.0", slurm->task.port}.text();
  cluster.num_nodes = slurm->task.tasks - 1;
  if (cluster.certs.empty()) cluster.certs = slurm->certs + "/driver";
}

void check(Options& options) {
  find_cluster(options.cluster);
  const ClusterOptions& cluster = options.cluster;
  if (cluster.num_nodes < 1)
    throw_invalid("cluster.num_nodes is " + std::to_string(cluster.num_nodes) + ", at least 1 is needed");
  if (cluster.num_nodes > 1024)
    throw_invalid(std::to_string(cluster.num_nodes) + " nodes are more than the 1024 that one run can have");
  if (options.num_workers < cluster.num_nodes)
    throw_invalid(std::to_string(options.num_workers) + " workers are too few for " +
                  std::to_string(cluster.num_nodes) + " nodes; each needs one");
  if (cluster.streams < 1 || cluster.streams > 64) throw_invalid("cluster.streams must be 1 to 64");
  if (options.config.size() > kLongestSetting)
    throw_invalid("config has " + std::to_string(options.config.size()) + " bytes, and nodes take " +
                  std::to_string(kLongestSetting));
  if (cluster.listen.empty()) throw_invalid("cluster.listen must say ADDRESS:PORT, where nodes dial");
}

/// The gate, and one thread that receives. A node's control connection takes three files, a data connection one each
/// way.
StartNeeds needs(const Options& options, int /*state_vectors*/) {
  const ClusterOptions& cluster = options.cluster;
  return {kGateNeeds.threads + 1, 0,
          kNetworkNeeds.files + kGateNeeds.files + kReceiverFiles + cluster.num_nodes * (3 + 2 * cluster.streams)};
}

}  // namespace

const Rules kClusterRules{
    Reach::machines,
    false,
    check,
    [](const Options& options) { return options.cluster.num_nodes; },
    [](const Options&) { return std::size_t{1}; },
    needs,
    [](const HostParts& parts) -> std::unique_ptr<Host> { return std::make_unique<ClusterHost>(parts); }};

}  // namespace troupe
