#include <unistd.h>

#include <set>

#include "actors/placements/start_needs.hpp"
#include "actors/placements/worker_host.hpp"
#include "actors/worker/worker_actor.hpp"

namespace troupe {
namespace {

class InProcessHost : public WorkerHost {
 public:
  InProcessHost(caf::actor_system& system, caf::actor driver, ObjectStore& store, CreateModel creator)
      : system_(system), driver_(std::move(driver)), store_(store), creator_(std::move(creator)) {}

  /// A worker that hangs cannot be stopped. Its slabs are its own and its generation is over, so it is left alone.
  void start(int index) override {
    auto worker = std::make_shared<Worker>(index, store_.connect(), creator_);
    // What a worker took that hangs, be it a scheduler's thread, its successor must not need.
    const bool successor = !started_.insert(index).second;
    if (successor) try_start(needs_of_worker(), "a new worker");
    actors_.push_back(successor ? system_.spawn<caf::detached>(worker_actor, worker, driver_)
                                : system_.spawn(worker_actor, worker, driver_));
  }

  std::string node(int /*index*/) const override { return "in-process"; }
  int pid(int /*index*/) const override { return static_cast<int>(::getpid()); }
  std::string how_it_ended(int /*index*/, std::chrono::milliseconds /*timeout*/) override { return ""; }

  bool end_all(bool all_stopped) override {
    for (const caf::actor& actor : actors_) caf::anon_send_exit(actor, caf::exit_reason::user_shutdown);
    actors_.clear();
    return all_stopped;
  }

 private:
  caf::actor_system& system_;
  caf::actor driver_;
  ObjectStore& store_;
  CreateModel creator_;
  std::set<int> started_;
  std::vector<caf::actor> actors_;  ///< also those that were given up
};

}  // namespace

std::unique_ptr<WorkerHost> host_in_process(caf::actor_system& system, const caf::actor& driver, ObjectStore& store,
                                            CreateModel creator) {
  return std::make_unique<InProcessHost>(system, driver, store, std::move(creator));
}

}  // namespace troupe
