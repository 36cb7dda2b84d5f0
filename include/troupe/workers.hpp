#pragma once

// The workers of a run: their number, their placement, and the reaction to lost workers. DistributedSGD and Trainer
// share these options.

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "troupe/testing.hpp"

namespace troupe {

/// The number of workers of a run: fixed, or a range. A run with a range starts with as many workers as there are
/// usable cores, within the range. Once a second, between steps, it adapts the number of workers to the number of
/// usable cores. If workers die repeatedly, the run continues without them, as long as `min` workers remain.
struct WorkerCount {
  /// Minimum number of workers; at least 1.
  int min = 1;
  /// Maximum number of workers. 0 (DistributedSGD only): num_shards / devices_per_worker; num_shards must then be set.
  int max = 1;

  WorkerCount() = default;
  /// A fixed number.
  // NOLINTNEXTLINE(google-explicit-constructor): a number is a count
  WorkerCount(int number) : min(number), max(number) {}
  /// A range from `least` to `most`.
  WorkerCount(int least, int most) : min(least), max(most) {}
  /// Returns true if the number may change.
  bool is_range() const { return min != max; }
};

/// The place where workers run.
enum class Placement : std::uint8_t {
  in_process,  ///< workers are actors on threads of this process (default)
  /// each worker is a process on this machine, started from this program's file; requires `init`
  processes,
  /// workers are actors in processes on other machines, the nodes, which connect to this machine to join the run
  cluster,
};

/// The address at which nodes join, and their certificates. Both sides use TLS 1.3 and certificates of one private
/// authority (see `troupe certs`). Without certificates Troupe does not listen to any network.
struct ClusterOptions {
  /// "ADDRESS:PORT" on this machine, to which nodes connect.
  std::string listen = {};
  /// The run starts when this many nodes have joined. Workers are assigned to nodes evenly and in order.
  int num_nodes = 1;
  /// If fewer than `num_nodes` nodes have joined after `timeouts.start`, the run starts with at least this many. 0
  /// (default): requires all `num_nodes`.
  int min_nodes = 0;
  /// Folder with ca.pem, cert.pem and key.pem of role driver, and optionally crl.pem.
  std::string certs = {};
  /// Number of data connections from each node to each other node.
  int streams = 1;
  /// If true, several nodes may use the same certificate. If false (default), a certificate identifies one node of the
  /// run.
  bool shared_certificates = false;
};

/// Limits for the memory that a run uses on a machine.
struct MemoryOptions {
  /// Quota of the object store in bytes. 0 (default): half of the memory of the machine or container.
  std::size_t store_bytes = 0;
  /// Maximum bytes of data on each machine. 0 (default): half of the memory of the machine or container. If a data set
  /// needs more than half of this limit, and its source supports reading on demand, samples are read from the files
  /// when they are needed. Results stay bitwise identical. Samples that are read ahead of the steps use at most a
  /// quarter of the limit.
  std::size_t data_bytes = 0;
};

/// The reaction to a lost worker: which workers get its shards.
enum class Restart : std::uint8_t {
  respawn,  ///< a new worker replaces the lost worker (default)
  /// The remaining workers take over its shards, down to num_workers.min workers (1 if num_workers is not a range).
  redistribute,
};

/// When a worker or node counts as lost, and the reaction to the loss.
struct FaultToleranceOptions {
  /// If the run waits for a worker process or node that shows no sign of life for this long, the log has a warning. At
  /// least 500 ms. 0: never, for example under a debugger, which stops processes. Time in which this process itself was
  /// stopped does not count.
  std::chrono::milliseconds suspect_after = std::chrono::seconds(1);
  /// After this time without a sign of life the worker process or node is ended and counts as lost. At least 500 ms. 0:
  /// never.
  std::chrono::milliseconds cut_after = std::chrono::seconds(5);
  /// Maximum number of workers or nodes that may be lost within an hour. Up to this number, calls replace them and
  /// continue, after a pause that grows with each failure. Beyond it, the call throws Error worker_lost with the list
  /// of losses; if num_workers is a range, the run continues with one worker less. 0: every loss is an error.
  int max_failures = 10;
  /// The reaction to a lost worker. Default: respawn.
  Restart restart = Restart::respawn;
  /// Maximum number of stragglers that a synchronous step may leave out. A straggler is a worker that takes 25% longer
  /// than the slowest other worker. The next worker in rank then computes the straggler's shards as well and applies
  /// its slice. The straggler takes part again once it has answered. The result is bitwise identical.
  ///
  /// 0 (default) to 8, and less than num_workers.max; one machine only. Each backup worker needs one more buffer of the
  /// state, and every shard needs a second gradient slab. ReplicaContext::shards of a replica then lists the shards of
  /// both workers.
  int backup_workers = 0;
  /// Faults to inject, for tests.
  std::vector<testing::Fault> faults = {};
};

}  // namespace troupe
