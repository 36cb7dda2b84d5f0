#include "actors/launch/launch.hpp"
#include "actors/placements/placements.hpp"

// The rules of the placement `cluster`: workers are actors in the processes of nodes that join the run.
namespace troupe {
namespace {

/// Sets the address, the number of nodes and the certificates from Slurm's environment variables. Does so only if the
/// process runs in a Slurm job and the user has not set `cluster.listen`.
void find_cluster(ClusterOptions& cluster) {
  const auto slurm = cluster.listen.empty() ? find_slurm_cluster() : std::nullopt;
  if (!slurm) return;
  cluster.listen = Address{"0.0.0.0", slurm->task.port}.text();
  cluster.num_nodes = slurm->task.tasks - 1;
  if (cluster.certs.empty()) cluster.certs = slurm->certs + "/driver";
}

void check_in_cluster(Hosting& hosting) {
  find_cluster(hosting.cluster);
  ClusterOptions& cluster = hosting.cluster;
  if (cluster.num_nodes < 1)
    throw_invalid("cluster.num_nodes is " + std::to_string(cluster.num_nodes) + "; it must be at least 1");
  if (cluster.num_nodes > 1024)
    throw_invalid(std::to_string(cluster.num_nodes) + " nodes are too many; one run can have at most 1024");
  if (cluster.min_nodes < 0 || cluster.min_nodes > cluster.num_nodes)
    throw_invalid("cluster.min_nodes is " + std::to_string(cluster.min_nodes) + "; it must be 0 to num_nodes, " +
                  std::to_string(cluster.num_nodes));
  if (cluster.min_nodes == 0) cluster.min_nodes = cluster.num_nodes;
  if (hosting.num_workers < cluster.num_nodes)
    throw_invalid(std::to_string(hosting.num_workers) + " workers are too few for " +
                  std::to_string(cluster.num_nodes) + " nodes; each node needs at least one worker");
  if (cluster.streams < 1 || cluster.streams > 64) throw_invalid("cluster.streams must be 1 to 64");
  if (cluster.listen.empty()) throw_invalid("cluster.listen is empty; it must be the ADDRESS:PORT that nodes dial");
}

/// Returns the numbers of threads and files that the driver of a cluster needs. It has a gate, and one thread that
/// receives data. For each node, it needs three files for the control connection, and two files for each data stream
/// (one per direction).
StartNeeds needs_in_cluster(const Hosting& hosting) {
  const ClusterOptions& cluster = hosting.cluster;
  return {kGateNeeds.threads + 1, 0,
          kNetworkNeeds.files + kGateNeeds.files + kReceiverFiles + cluster.num_nodes * (3 + 2 * cluster.streams)};
}

}  // namespace

const Rules kClusterRules{.reach = Reach::machines,
                          .recovery = RecoveryPolicy::form_again,
                          .backend = "data-plane",
                          .check = check_in_cluster,
                          .num_nodes = [](const ClusterOptions& cluster) { return cluster.num_nodes; },
                          .scheduler_threads = [](const Hosting&) { return std::size_t{1}; },
                          .needs = needs_in_cluster,
                          .make_host = host_in_cluster};

}  // namespace troupe
