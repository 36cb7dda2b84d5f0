#include <unistd.h>

#include <map>

#include "actors/placements/host.hpp"
#include "actors/placements/local/local_servers.hpp"
#include "actors/transport/start_needs.hpp"
#include "actors/worker/worker_actor.hpp"

namespace troupe {
namespace {

/// If a worker of this process hangs: the maximum time to wait until the other workers have ended. A longer wait is
/// useless, because the hanging worker cannot be ended in any case.
constexpr std::chrono::milliseconds kHungTimeout{3000};

class InProcessHost : public Host {
 public:
  explicit InProcessHost(const HostParts& parts)
      : system_(parts.system),
        driver_(parts.mailbox.address()),
        store_(parts.store),
        servers_(system_, driver_),
        creator_(parts.creator),
        members_(parts.members),
        planned_(parts.hosting.num_workers),
        end_time_(parts.hosting.end_time) {}

  /// Starts a worker. A hanging worker cannot be stopped, so the worker that is replaced may still run. This does no
  /// harm, because the generation of the replaced worker has ended and its slabs are no longer used.
  void start(int worker) override {
    auto started = std::make_shared<Worker>(worker, store_.connect(), creator_);
    const bool successor = actors_.contains(worker);
    replaced_ = replaced_ || successor;
    if (successor) given_up_.push_back(actors_[worker]);
    if (successor || worker >= planned_) try_start(needs_of_worker(), "a new worker");
    before_send();
    const ForgetsLogger forgets;
    // A worker that hangs may block a thread of CAF's scheduler. Therefore, if any worker hangs, the new worker gets a
    // thread of its own.
    actors_[worker] = hangs() ? system_.spawn<caf::detached>(worker_actor, started, driver_)
                              : system_.spawn(worker_actor, started, driver_);
  }

  void end(int worker) override {
    if (!actors_.contains(worker) || (members_.lost(worker) && !members_.never_came(worker))) return;
    caf::anon_send_exit(actors_.at(worker), caf::exit_reason::user_shutdown);
    actors_.erase(worker);
  }

  std::string node(int /*member*/) const override { return "in-process"; }
  int pid(int /*worker*/) const override { return static_cast<int>(::getpid()); }
  std::string how_it_ended(int /*member*/, std::chrono::milliseconds /*timeout*/) override { return ""; }

  std::unique_ptr<StateHome> make_state_home(StoreClient& store, Rounds& /*rounds*/) override {
    return keep_state_here(store);
  }
  std::vector<caf::actor> start_servers(const std::vector<std::shared_ptr<ParameterServer>>& servers) override {
    return servers_.start(servers);
  }

  std::optional<std::chrono::milliseconds> time_at_end() const override { return hangs() ? kHungTimeout : end_time_; }

  bool end_all(bool all_stopped) override {
    for (const auto& [worker, actor] : actors_) caf::anon_send_exit(actor, caf::exit_reason::user_shutdown);
    for (const caf::actor& actor : given_up_) caf::anon_send_exit(actor, caf::exit_reason::user_shutdown);
    actors_.clear();
    given_up_.clear();
    return all_stopped && !hangs();
  }

 private:
  /// Returns true if a worker was lost and may still run in this process.
  bool hangs() const { return replaced_ || members_.silent_workers(); }

  caf::actor_system& system_;
  caf::actor driver_;
  ObjectStore& store_;
  LocalServers servers_;
  CreateModel creator_;
  const Members& members_;
  int planned_;  ///< the number of workers for which resources were checked at the start
  std::chrono::milliseconds end_time_;
  bool replaced_ = false;
  std::map<int, caf::actor> actors_;
  std::vector<caf::actor> given_up_;
};

}  // namespace

std::unique_ptr<Host> host_in_process(const HostParts& parts) { return std::make_unique<InProcessHost>(parts); }

}  // namespace troupe
