#include "actors/placements/cluster.hpp"
#include "actors/placements/worker_host.hpp"

namespace troupe {
namespace {

class ClusterHost : public WorkerHost {
 public:
  ClusterHost(Cluster& cluster, Mailbox& mailbox) : cluster_(cluster), mailbox_(mailbox) {}

  void start(int index) override {
    const ClusterNode& at = node_of(index);
    if (at.lost)
      throw Error(ErrorCode::worker_lost, "a node has left the run, and its part of the optimizer's state with it",
                  {.worker = index, .node = at.name, .phase = "start"});
    mailbox_.send(at.actor, StartWorker{index});
  }
  std::string node(int index) const override { return node_of(index).name; }
  int pid(int index) const override { return node_of(index).join.pid; }
  std::string how_it_ended(int index, std::chrono::milliseconds /*timeout*/) override {
    return node_of(index).lost ? "of its node, " + node_of(index).how_it_ended() : "";
  }
  /// Nodes see the end of their connection, and end what belongs to the run.
  bool end_all(bool /*all_stopped*/) override { return true; }

 private:
  const ClusterNode& node_of(int worker) const { return cluster_.node(cluster_.node_of_worker(worker)); }

  Cluster& cluster_;
  Mailbox& mailbox_;
};

}  // namespace

std::unique_ptr<WorkerHost> host_in_cluster(Cluster& cluster, Mailbox& mailbox) {
  return std::make_unique<ClusterHost>(cluster, mailbox);
}

}  // namespace troupe
