#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "troupe/testing.hpp"

// The workers of a run: how many there are, where they are, and what becomes of those that are lost. Both
// DistributedSGD and Trainer take these.
namespace troupe {

/// How many workers a run has: a number, or a range within which they come and go between steps. A run with a range
/// begins with as many workers as there are usable cores, follows these when they become more or fewer, and goes on
/// without workers that keep dying.
struct WorkerCount {
  int min = 1;
  int max = 1;  ///< 0: as many as there are shards for, whose number has to be told then

  WorkerCount() = default;
  // NOLINTNEXTLINE(google-explicit-constructor): a number is a count
  WorkerCount(int number) : min(number), max(number) {}
  WorkerCount(int least, int most) : min(least), max(most) {}
  bool is_range() const { return min != max; }
};

enum class Placement : std::uint8_t {
  in_process,  ///< workers are actors on threads of this process
  processes,   ///< each worker is a process of this machine, started from this program's file
  cluster,     ///< workers are actors in processes of other machines, the nodes, which dial this one and join
};

/// Where nodes join. Both sides show certificates of one private authority (`troupe certs`), over TLS 1.3; without
/// them nothing is listened to.
struct ClusterOptions {
  std::string listen = {};  ///< "ADDRESS:PORT" of this machine that nodes dial
  int num_nodes = 1;        ///< the run begins when so many have joined; workers are dealt to them evenly, in order
  int min_nodes = 0;        ///< with so many it begins, too, when `timeouts.start` is over; 0: with num_nodes only
  std::string certs = {};   ///< folder with ca.pem, cert.pem and key.pem, of role driver, and perhaps crl.pem
  int streams = 1;          ///< data connections from each node to each other
  bool shared_certificates =
      false;  ///< whether several nodes may show the same one; else each has one place in the run
};

/// How much of a machine's memory a run may take.
struct MemoryOptions {
  std::size_t store_bytes = 0;  ///< quota of the object store; 0: half of the machine's memory, or of the container's
  std::size_t data_bytes = 0;   ///< that data may take on each machine; 0: half of its memory. A set that takes more
                                ///< than half of this stays in its files, where its source can leave it there, to the
                                ///< same bits; what is read ahead of the steps takes a quarter at most
};

/// What becomes of the shards of a worker that was lost.
enum class Restart : std::uint8_t {
  respawn,       ///< a fresh worker has them
  redistribute,  ///< the others have them from then on, down to num_workers.min, or to one without a range
};

/// What a run takes for a loss, and what it does then.
struct FaultToleranceOptions {
  /// A worker process or node that is waited for and shows no sign of life for `suspect_after` is told of in the log,
  /// and after `cut_after` ended, and so lost. At least 500 ms, or 0: never, as for debuggers, which stop processes.
  /// Time in which this process does not run itself is not counted.
  std::chrono::milliseconds suspect_after = std::chrono::seconds(1);
  std::chrono::milliseconds cut_after = std::chrono::seconds(5);
  int max_failures = 10;  ///< workers or nodes lost within an hour that calls make good by themselves and go on,
                          ///< waiting longer each time; the next one is an Error worker_lost that tells of all, or,
                          ///< where num_workers is a range, a worker less. 0: each is
  Restart restart = Restart::respawn;
  /// So many workers may be left out of a step that take longer than the others by a quarter: the
  /// worker behind each computes its shards, too, and does its part; a late one takes part again once it has answered.
  /// The bits stay. 0 to 8, and less than num_workers.max; on one machine. Costs a second slab for each shard's
  /// gradient and a buffer of the state for each of these workers. A replica's ReplicaContext::shards are those of both
  /// workers then.
  int backup_workers = 0;
  std::vector<testing::Fault> faults = {};  ///< what is to go wrong on purpose, for tests
};

}  // namespace troupe
