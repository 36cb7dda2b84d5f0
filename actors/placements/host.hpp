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

/// Hosts the workers and the state: the interface that differs between placements. A started worker sends `Join` to the
/// driver.
class Host : public FailureDetector {
 public:
  /// Waits until all nodes on which workers will be started have joined.
  virtual void gather(const Deadline& /*deadline*/) {}
  /// Starts a worker. If it replaces one, the old worker can no longer write anything that is used.
  virtual void start(int worker) = 0;
  /// Ends a worker that no longer takes part. A worker of this process that hangs is left running.
  virtual void end(int /*worker*/) {}
  /// Stops accepting workers for now.
  virtual void stop_listening() {}
  /// Returns whether the worker that arrived is the worker that was started.
  virtual bool is_expected(const WorkerArrival& arrival) { return arrival.join.pid == pid(arrival.join.worker); }
  virtual int pid(int worker) const = 0;
  /// Returns true if a lost worker has always ended before its replacement starts. Otherwise a hanging worker may still
  /// read the memory that it has mapped.
  virtual bool ends_the_lost() const { return false; }
  /// Connects the functions on all workers as a group of this run, if the placement needs that.
  virtual void begin_group(std::uint64_t /*run*/, std::uint64_t /*generation*/, Rounds& /*rounds*/,
                           const Phase& /*phase*/) {}
  /// Simulates the loss of the network connection to a node.
  virtual void cut_off(int /*node*/) {}
  /// Returns the reason why a worker that has ended could not start, if the worker left one.
  virtual std::optional<Error> why_not_started(int /*worker*/, const Where& /*where*/) { return std::nullopt; }

  virtual std::unique_ptr<StateHome> make_state_home(StoreClient& store, Rounds& rounds) = 0;
  /// Starts actors for these parameter servers, in order, and ends the previous ones.
  /// @throws Error unsupported if the placement has no parameter servers
  virtual std::vector<caf::actor> start_servers(const std::vector<std::shared_ptr<ParameterServer>>& servers);
  /// Returns true if a round that every member has answered restores a known state after a failed round. Otherwise
  /// connections and windows are in an unknown state, and so is a step between its two rounds.
  virtual bool settles_by_fence() const { return true; }

  /// Returns how long to wait for replicas of this process at the end; nothing if they end with their own processes.
  virtual std::optional<std::chrono::milliseconds> time_at_end() const { return std::nullopt; }
  /// Ends workers that did not end on request. Returns false if some could not be ended: then neither the actor system
  /// nor the store may be destroyed.
  virtual bool end_all(bool all_stopped) = 0;
};

/// The objects from which a host is constructed.
struct HostParts {
  caf::actor_system& system;
  DriverMailbox& mailbox;
  ObjectStore& store;
  Members& members;
  const Hosting& hosting;  ///< valid only while the host is constructed
  CreateModel creator;     ///< for workers in this process
};

std::unique_ptr<Host> host_in_process(const HostParts& parts);
std::unique_ptr<Host> host_processes(const HostParts& parts);
/// @throws Error as `Cluster`
std::unique_ptr<Host> host_in_cluster(const HostParts& parts);

}  // namespace troupe
