#include <atomic>

#include "actors/placements/placements.hpp"
#include "actors/placements/runtime.hpp"
#include "actors/transport/system.hpp"
#include "runtime/processes/held_signals.hpp"

namespace troupe {
namespace {

class ActorRuntime : public Runtime {
 public:
  ActorRuntime(const Hosting& hosting, int num_workers)
      : Runtime(mailbox_, Members(num_workers, hosting.devices_per_worker,
                                  rules_of(hosting.placement).num_nodes(hosting.cluster), hosting.num_shards)),
        hosting_(hosting),
        store_(hosting.store_bytes),
        config_(rules_of(hosting.placement).scheduler_threads(hosting), rules_of(hosting.placement).reach,
                hosting.cut_after),
        system_(config_),
        mailbox_(system_),
        client_(store_.connect()) {}
  /// Destroys `host` first, because it uses all other members.
  ~ActorRuntime() override { host.reset(); }

  std::unique_ptr<Host> make_host(const CreateModel& creator) override {
    return rules_of(hosting_.placement).make_host({system_, mailbox_, store_, members, hosting_, creator});
  }
  std::unique_ptr<StateHome> make_state_home(Rounds& rounds) override {
    return host->make_state_home(*client_, rounds);
  }

 private:
  const Hosting hosting_;
  ObjectStore store_;  ///< declared before the actor system, because actors release their objects in the store
  SystemConfig config_;
  caf::actor_system system_;
  DriverMailbox mailbox_;
  std::unique_ptr<StoreClient> client_;
};

}  // namespace

void leave_running(std::unique_ptr<Runtime> runtime) {
  static std::atomic<Runtime*> given_up;
  Runtime* const last = runtime.release();
  last->given_up_before = given_up.exchange(last);
}

std::unique_ptr<Runtime> make_actor_runtime(const Hosting& hosting, int num_workers) {
  try_start(needs_of_driver(hosting), "the driver");
  const HeldSignals
      held;  // blocks signals in the threads that are started here, so that the user's threads handle them
  const ForgetsLogger forgets;
  return std::make_unique<ActorRuntime>(hosting, num_workers);
}

}  // namespace troupe
