#pragma once

#include <memory>
#include <optional>

#include "actors/placements/hosting.hpp"
#include "actors/placements/state_home.hpp"
#include "actors/rounds/driver_mailbox.hpp"
#include "actors/rounds/rounds.hpp"
#include "actors/servers/parameter_server.hpp"
#include "runtime/store/object_store.hpp"
#include "troupe/sgd.hpp"

namespace troupe {

/// Starts and ends workers, and creates the home of the state. Each placement implements this interface. A worker that
/// has started sends `Join` to the driver.
class Host : public FailureDetector {
 public:
  /// Blocks until all nodes on which workers will be started have joined. Does nothing without nodes.
  virtual void gather(const Deadline& /*deadline*/) {}
  /// Starts a worker. If the worker replaces a lost one, this function first makes sure that the lost worker can no
  /// longer write memory that is still used.
  virtual void start(int worker) = 0;
  /// Ends a worker that no longer takes part. A hanging worker of this process cannot be ended, so it is left running.
  virtual void end(int /*worker*/) {}
  /// Stops accepting connections of workers, until `start` is called again.
  virtual void stop_listening() {}
  /// Returns true if the worker that has joined is the one that `start` started, and not another process.
  virtual bool is_expected(const WorkerArrival& arrival) { return arrival.join.pid == pid(arrival.join.worker); }
  /// Returns the id of the process in which the worker runs.
  virtual int pid(int worker) const = 0;
  /// Returns true if `start` ends a lost worker before it starts the replacement. Otherwise a lost worker that hangs
  /// may still read the memory that it has mapped.
  virtual bool ends_the_lost() const { return false; }
  /// Prepares the group in which users' functions on all workers run collectives. Does nothing if the placement needs
  /// no preparation.
  virtual void begin_group(std::uint64_t /*run*/, std::uint64_t /*generation*/, Rounds& /*rounds*/,
                           const Phase& /*phase*/) {}
  /// Simulates the loss of the network connection to a node, for fault injection.
  virtual void cut_off(int /*node*/) {}
  /// Returns the error because of which a worker that has ended could not start, if the worker left such an error.
  virtual std::optional<Error> why_not_started(int /*worker*/, const Where& /*where*/) { return std::nullopt; }

  /// Creates the home of the state.
  /// @param store the driver's client of the object store
  virtual std::unique_ptr<StateHome> make_state_home(StoreClient& store, Rounds& rounds) = 0;
  /// Ends the previous parameter servers. Then starts an actor for each server in `servers`, and returns the actors in
  /// the same order.
  /// @throws Error unsupported if the placement has no parameter servers
  virtual std::vector<caf::actor> start_servers(const std::vector<std::shared_ptr<ParameterServer>>& servers);
  /// Returns true if, after a failed round, a `Fence` that all workers answer is enough to settle the run. Returns
  /// false among nodes: after a failed round, the state of connections and windows between nodes is unknown, so a new
  /// generation must begin.
  virtual bool settles_by_fence() const { return true; }

  /// Returns for how long the driver must wait at the end of a run until replicas in this process have ended. Returns
  /// std::nullopt if replicas run in other processes.
  virtual std::optional<std::chrono::milliseconds> time_at_end() const { return std::nullopt; }
  /// Ends all workers that still run. Returns false if a worker could not be ended. The caller must then destroy
  /// neither the actor system nor the store.
  /// @param all_stopped true if all workers have stopped on request
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
/// @throws Error as the constructor of `Cluster`
std::unique_ptr<Host> host_in_cluster(const HostParts& parts);

}  // namespace troupe
