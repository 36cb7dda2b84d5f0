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

/// Where workers and the state live: what differs between placements. A started worker sends `Join` to the driver.
class Host : public FailureDetector {
 public:
  /// Waits for all on whom workers are to be started.
  virtual void gather(const Deadline& /*deadline*/) {}
  /// Starts a worker, in place of what was there: what that was writes nothing any more that matters.
  virtual void start(int worker) = 0;
  /// A worker takes part no more; one that hangs in this process is left alone.
  virtual void end(int /*worker*/) {}
  /// Nobody else is to join for now.
  virtual void stop_listening() {}
  /// Whether who has come is the worker that was started.
  virtual bool is_expected(const WorkerArrival& arrival) { return arrival.join.pid == pid(arrival.join.worker); }
  virtual int pid(int worker) const = 0;
  /// Whether a worker that is lost has ended for good when another is started in its place; else what hangs of it may
  /// still read what it has mapped.
  virtual bool ends_the_lost() const { return false; }
  /// Lets functions on all workers reach each other, where that takes something: these are a group of this run.
  virtual void begin_group(std::uint64_t /*run*/, std::uint64_t /*generation*/, Rounds& /*rounds*/,
                           const Phase& /*phase*/) {}
  /// Acts as if the network to a node were gone.
  virtual void cut_off(int /*node*/) {}
  /// What a worker that has ended said of why it cannot start.
  virtual std::optional<Error> why_not_started(int /*worker*/, const Where& /*where*/) { return std::nullopt; }

  virtual std::unique_ptr<StateHome> make_state_home(StoreClient& store, Rounds& rounds) = 0;
  /// Has actors for these parameter servers, in order, in place of those before. @throws Error unsupported
  virtual std::vector<caf::actor> start_servers(const std::vector<std::shared_ptr<ParameterServer>>& servers);
  /// Whether all is well again after a round that failed, once everybody has answered another. Else connections and
  /// windows are in an unknown state, and so is a step between its two rounds.
  virtual bool settles_by_fence() const { return true; }

  /// How long replicas of this process are waited for at the end; none where they end with their processes.
  virtual std::optional<std::chrono::milliseconds> time_at_end() const { return std::nullopt; }
  /// Ends workers that did not end when told to. False when some could not be ended: then neither the actor system nor
  /// the store may be taken down.
  virtual bool end_all(bool all_stopped) = 0;
};

/// What a host is made of.
struct HostParts {
  caf::actor_system& system;
  DriverMailbox& mailbox;
  ObjectStore& store;
  Members& members;
  const Hosting& hosting;  ///< for as long as the host is made
  CreateModel creator;     ///< for workers of this process
};

std::unique_ptr<Host> host_in_process(const HostParts& parts);
std::unique_ptr<Host> host_processes(const HostParts& parts);
/// @throws Error as `Cluster`
std::unique_ptr<Host> host_in_cluster(const HostParts& parts);

}  // namespace troupe
