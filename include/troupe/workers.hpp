#pragma once

// Options for the workers of a run: their number, their placement, and the reaction to lost workers. DistributedSGD and
// Trainer share these options.

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "troupe/testing.hpp"

namespace troupe {

/// The number of workers of a run: fixed, or a range. With a range, the run starts with one worker for each usable
/// core, within the range. Once a second, between steps, the run adapts its number of workers to the number of usable
/// cores. If workers die repeatedly, the run continues with fewer workers, as long as `min` workers remain. In a
/// cluster, the cores of all nodes count, and the number of workers changes only when nodes join or leave.
struct WorkerCount {
  /// Minimum number of workers; at least 1.
  int min = 1;
  /// Maximum number of workers. 0 (in DistributedSGD only) means num_shards / devices_per_worker; num_shards must then
  /// be set.
  int max = 1;

  WorkerCount() = default;
  /// Makes a fixed number of workers.
  // NOLINTNEXTLINE(google-explicit-constructor): an int converts to a WorkerCount
  WorkerCount(int number) : min(number), max(number) {}
  /// Makes a range from `least` to `most` workers.
  WorkerCount(int least, int most) : min(least), max(most) {}
  /// Returns true if the number of workers may change.
  bool is_range() const { return min != max; }
};

/// The place where workers run.
enum class Placement : std::uint8_t {
  in_process,  ///< workers are actors on threads of this process (default)
  /// each worker is a child process on this machine, which runs this program's file; requires `init`
  processes,
  /// workers are actors in processes on other machines (the nodes), which join the run by a connection to this machine
  cluster,
};

/// The address to which the nodes of a cluster connect, and the certificates for these connections. Both sides use TLS
/// 1.3 and certificates of one private authority (see `troupe certs`). Without certificates, Troupe does not listen to
/// any network.
struct ClusterOptions {
  /// The address of this machine to which nodes connect, as "ADDRESS:PORT".
  std::string listen = {};
  /// Maximum number of nodes. Workers are assigned to nodes in proportion to the cores of the nodes, at least one to
  /// each node.
  int num_nodes = 1;
  /// Minimum number of nodes. The run starts as soon as this many nodes have joined and no other node has joined for
  /// half a second. Between two steps, other nodes may join the run, and nodes may leave it. 0 (default): all
  /// `num_nodes` nodes are required.
  int min_nodes = 0;
  /// Folder with the certificates: ca.pem, cert.pem and key.pem of role driver, and optionally crl.pem.
  std::string certs = {};
  /// Number of connections for data from each node to each other node.
  int streams = 1;
  /// If true, several nodes may use the same certificate. If false (default), a certificate identifies one node of the
  /// run.
  bool shared_certificates = false;
};

/// Limits for the memory that a run uses on a machine.
struct MemoryOptions {
  /// Maximum bytes of the object store. 0 (default): half of the memory of the machine or container.
  std::size_t store_bytes = 0;
  /// Maximum bytes of data sets on each machine. 0 (default): half of the memory of the machine or container. If a data
  /// set needs more than half of this limit, and its source supports reading on demand, samples are read from the files
  /// when they are needed. Results stay bitwise identical. Samples that are read ahead of the steps use at most a
  /// quarter of the limit.
  std::size_t data_bytes = 0;
};

/// Which workers get the shards of a lost worker.
enum class Restart : std::uint8_t {
  respawn,  ///< a new worker replaces the lost worker (default)
  /// The remaining workers take over its shards, as long as num_workers.min workers remain (1 if num_workers is not a
  /// range).
  redistribute,
};

/// When a worker or node counts as lost, and the reaction to the loss.
struct FaultToleranceOptions {
  /// If the run waits for a worker process or node that shows no sign of life for this time, a warning is written to
  /// the log. At least 500 ms. 0: no warning; useful with a debugger, which stops processes. Time in which the process
  /// of the driver itself was stopped does not count.
  std::chrono::milliseconds suspect_after = std::chrono::seconds(1);
  /// If a worker process or node shows no sign of life for this time, its process or connection is ended, and it counts
  /// as lost. At least 500 ms. 0: never.
  std::chrono::milliseconds cut_after = std::chrono::seconds(5);
  /// Maximum number of losses of workers or nodes within an hour. Up to this number, calls replace the lost workers and
  /// continue, after a pause that grows with each failure. After more losses, the call throws Error worker_lost with
  /// the list of losses; but if num_workers is a range, the run continues with one worker less. 0: every loss is an
  /// error.
  int max_failures = 10;
  /// In a cluster: the number of steps between two copies of the state. Each node keeps the weights and its part of the
  /// optimizer's state of one earlier step in memory, and a copy of another node's part. After the loss of a node, the
  /// run continues from this step, without a checkpoint on disk. 0 (default): as often as possible if copying takes at
  /// most 3% of the time. -1: no copies. With LocalSgd and Lbfgs there are no copies.
  std::int64_t copy_every = 0;
  /// The reaction to a lost worker. Default: respawn.
  Restart restart = Restart::respawn;
  /// Maximum number of stragglers that a synchronous step may leave out. A straggler is a worker that takes at least
  /// 25% and 1 ms longer than the slowest worker that is not a straggler. The worker with the next rank then also
  /// computes the straggler's shards and applies its slice. Once the straggler has answered, it takes part in steps
  /// again. The result is bitwise identical.
  ///
  /// Allowed values are 0 (default) to 8, and less than num_workers.max; on one machine only. For each backup worker,
  /// the state needs one more buffer, and every shard needs a second gradient slab. ReplicaContext::shards of a replica
  /// then also lists the shards for which the replica is the backup.
  int backup_workers = 0;
  /// Faults that tests inject into the run.
  std::vector<testing::Fault> faults = {};
};

}  // namespace troupe
