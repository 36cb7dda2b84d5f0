#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "actors/placements/hosting.hpp"
#include "actors/placements/run_history.hpp"
#include "actors/placements/state_home.hpp"
#include "actors/rounds/driver_mailbox.hpp"
#include "actors/rounds/rounds.hpp"
#include "actors/servers/parameter_server.hpp"
#include "runtime/store/object_store.hpp"
#include "troupe/sgd.hpp"

namespace troupe {

/// A node that has joined a run, and the copies of the state that it offers.
struct JoinedNode {
  std::string certificate;  ///< the name in its certificate
  std::vector<OfferedCopy> copies;
  bool leaves = false;  ///< the node wants to leave, and takes part only if its copies are needed
};

/// The copies of the state that a run needs when it is formed again. By default, it needs none.
struct NeededCopies {
  /// Returns whether the state can be restored from the copies of these nodes.
  std::function<bool(const std::vector<JoinedNode>& nodes)> suffice = [](const auto&) { return true; };
  /// Returns whether the node has a part of the needed copy.
  std::function<bool(const JoinedNode& node)> are_on = [](const auto&) { return false; };
};

/// Starts and ends the workers of a run, and creates the object through which the driver accesses the state
/// (StateHome). Each placement has its own implementation. When a worker has started, it sends the message `Join` to
/// the driver.
class Host : public FailureDetector {
 public:
  /// Blocks until the nodes on which workers will be started have joined. Does nothing if the placement has no nodes.
  /// @param expected the number of nodes that are known to join soon; 0 if no node is known
  /// @param needed if the copies of the nodes that have joined do not suffice, other nodes are awaited for a while
  virtual void gather(int /*expected*/, const NeededCopies& /*needed*/, const Deadline& /*deadline*/) {}
  /// Returns the names in the certificates of nodes that want to join the run while it works, and for which it has
  /// room.
  virtual std::vector<std::string> newcomers() const { return {}; }
  /// Returns the nodes that have announced that they will leave the run.
  virtual std::vector<int> leavers() const { return {}; }
  /// Starts the worker with the number `worker`. If the worker replaces a lost worker, this function first makes sure
  /// that the lost worker can no longer write memory that is still used.
  virtual void start(int worker) = 0;
  /// Ends `worker`, which no longer takes part in the run. If the worker hangs in a thread of this process, it cannot
  /// be ended and is left running.
  virtual void end(int /*worker*/) {}
  /// Stops accepting connections of worker processes until `start` is called again.
  virtual void stop_listening() {}
  /// Returns true if the worker in `arrival` runs in the process that `start` has started for it, and not in another
  /// process.
  virtual bool is_expected(const WorkerArrival& arrival) { return arrival.join.pid == pid(arrival.join.worker); }
  /// Returns the id of the process in which `worker` runs.
  virtual int pid(int worker) const = 0;
  /// Returns true if `start` always ends a lost worker before it starts the replacement. If it returns false, a lost
  /// worker that hangs may still read the memory that the worker has mapped.
  virtual bool ends_the_lost() const { return false; }
  /// Prepares a group of all workers, in which users' functions run collectives. Does nothing if the placement needs no
  /// preparation.
  virtual void begin_group(std::uint64_t /*run*/, std::uint64_t /*generation*/, Rounds& /*rounds*/,
                           const Phase& /*phase*/) {}
  /// Returns the name in the certificate of a node. Several nodes may have the same name.
  virtual std::string certificate_of(int /*node*/) const { return {}; }
  /// Records the copies of the state that the nodes have made so far.
  virtual void note_copies(const CopyTotals& /*totals*/) {}
  /// Records the latest changes of the nodes of the run, oldest first.
  virtual void note_changes(const std::vector<NodesChange>& /*changes*/) {}
  /// Returns the copies of the state that a node has offered when it joined.
  virtual std::vector<OfferedCopy> copies_of(int /*node*/) const { return {}; }
  /// Simulates the loss of the network connection to a node, for fault injection.
  virtual void cut_off(int /*node*/) {}
  /// Returns the error because of which `worker` could not start, if the worker stored an error before it ended.
  virtual std::optional<Error> why_not_started(int /*worker*/, const Where& /*where*/) { return std::nullopt; }

  /// Creates the object through which the driver accesses the state.
  /// @param store the driver's client of the object store
  virtual std::unique_ptr<StateHome> make_state_home(StoreClient& store, Rounds& rounds) = 0;
  /// Ends the actors of previous parameter servers. Then starts one actor for each server in `servers`, and returns the
  /// actors in the same order.
  /// @throws Error unsupported if the placement has no parameter servers
  virtual std::vector<caf::actor> start_servers(const std::vector<std::shared_ptr<ParameterServer>>& servers);
  /// Returns true if, after a failed round, the members are settled as soon as all workers have answered a `Fence`.
  /// Returns false if the run has nodes: after a failed round, the state of connections and windows between nodes is
  /// unknown, so a new generation must begin.
  virtual bool settles_by_fence() const { return true; }

  /// Returns the maximum time for which the driver waits at the end of a run until the replicas in this process have
  /// ended. Returns std::nullopt if all replicas run in other processes.
  virtual std::optional<std::chrono::milliseconds> time_at_end() const { return std::nullopt; }
  /// Ends all workers that still run. Returns false if a worker could not be ended. In this case, the caller must not
  /// destroy the actor system and the object store.
  /// @param all_stopped true if all workers have confirmed the request `Stop`
  virtual bool end_all(bool all_stopped) = 0;
};

/// The objects from which a host is constructed.
struct HostParts {
  caf::actor_system& system;
  DriverMailbox& mailbox;
  ObjectStore& store;
  Members& members;
  const Hosting& hosting;  ///< this reference is valid only while the host is constructed
  CreateModel creator;     ///< creates models, for workers in this process
};

/// Returns the host of the placement `in_process`.
std::unique_ptr<Host> host_in_process(const HostParts& parts);
/// Returns the host of the placement `processes`.
std::unique_ptr<Host> host_processes(const HostParts& parts);
/// Returns the host of the placement `cluster`, which listens for nodes from now on.
/// @throws Error as the constructor of `Cluster` does
std::unique_ptr<Host> host_in_cluster(const HostParts& parts);

}  // namespace troupe
