#include <unistd.h>

#include <set>

#include "actors/placements/host.hpp"
#include "actors/transport/start_needs.hpp"
#include "actors/worker/worker_actor.hpp"

namespace troupe {
namespace {

/// How long the others may take to end when a worker of this process hangs, which makes waiting useless.
constexpr std::chrono::milliseconds kHungPatience{3000};

class InProcessHost : public Host {
 public:
  explicit InProcessHost(const HostParts& parts)
      : system_(parts.system),
        driver_(parts.mailbox.address()),
        store_(parts.store),
        creator_(parts.creator),
        members_(parts.members),
        step_timeout_(parts.options.step_timeout) {}

  /// A worker that hangs cannot be stopped. Its slabs are its own and its generation is over, so it is left alone.
  void start(int worker) override {
    auto started = std::make_shared<Worker>(worker, store_.connect(), creator_);
    // What a worker took that hangs, be it a scheduler's thread, its successor must not need.
    const bool successor = !started_.insert(worker).second;
    replaced_ = replaced_ || successor;
    if (successor) try_start(needs_of_worker(), "a new worker");
    actors_.push_back(successor ? system_.spawn<caf::detached>(worker_actor, started, driver_)
                                : system_.spawn(worker_actor, started, driver_));
  }

  std::string node(int /*member*/) const override { return "in-process"; }
  int pid(int /*worker*/) const override { return static_cast<int>(::getpid()); }
  std::string how_it_ended(int /*member*/, std::chrono::milliseconds /*timeout*/) override { return ""; }

  std::unique_ptr<StateHome> make_state_home(StoreClient& store, Rounds& /*rounds*/) override {
    return keep_state_here(store);
  }

  std::optional<std::chrono::milliseconds> patience_at_end() const override {
    return hangs() ? kHungPatience : step_timeout_;
  }

  bool end_all(bool all_stopped) override {
    for (const caf::actor& actor : actors_) caf::anon_send_exit(actor, caf::exit_reason::user_shutdown);
    actors_.clear();
    return all_stopped && !hangs();
  }

 private:
  /// Whether one was given up, and may still run.
  bool hangs() const { return replaced_ || members_.silent_workers(); }

  caf::actor_system& system_;
  caf::actor driver_;
  ObjectStore& store_;
  CreateModel creator_;
  const Members& members_;
  std::chrono::milliseconds step_timeout_;
  std::set<int> started_;
  bool replaced_ = false;
  std::vector<caf::actor> actors_;  ///< also those that were given up
};

}  // namespace

std::unique_ptr<Host> host_in_process(const HostParts& parts) { return std::make_unique<InProcessHost>(parts); }

}  // namespace troupe
