#pragma once

#include <memory>
#include <optional>
#include <string>

#include "actors/transport/system.hpp"
#include "runtime/store/object_store.hpp"
#include "troupe/sgd.hpp"

namespace troupe {

class Cluster;
class Mailbox;

/// Where workers live: the one thing in which placements differ. A started worker sends `Join` to the driver.
class WorkerHost {
 public:
  WorkerHost() = default;
  WorkerHost(const WorkerHost&) = delete;
  WorkerHost& operator=(const WorkerHost&) = delete;
  virtual ~WorkerHost() = default;

  /// Starts worker `index`, in place of what was there: what that was writes nothing any more that matters.
  virtual void start(int index) = 0;
  /// Nobody else is to join for now.
  virtual void stop_listening() {}
  /// "in-process", "pid N", or the name of a node.
  virtual std::string node(int index) const = 0;
  virtual int pid(int index) const = 0;
  /// Why a worker is no longer there, such as "was ended by signal 9"; empty where it is still there after `timeout`.
  virtual std::string how_it_ended(int index, std::chrono::milliseconds timeout) = 0;
  /// What a worker that has ended said of why it cannot start.
  virtual std::optional<Error> why_not_started(int /*index*/, const Where& /*where*/) { return std::nullopt; }
  /// Ends workers that did not end when told to. False when some could not be ended: then neither the actor system nor
  /// the store may be taken down.
  virtual bool end_all(bool all_stopped) = 0;
};

/// Workers are actors on this process's threads, made with `creator`.
std::unique_ptr<WorkerHost> host_in_process(caf::actor_system& system, const caf::actor& driver, ObjectStore& store,
                                            CreateModel creator);

/// Workers are processes of this machine that run this program.
std::unique_ptr<WorkerHost> host_processes(caf::actor_system& system, const caf::actor& driver, ObjectStore& store,
                                           int num_workers);

/// Workers are actors in the nodes of a complete cluster.
std::unique_ptr<WorkerHost> host_in_cluster(Cluster& cluster, Mailbox& driver);

}  // namespace troupe
