#include "actors/node/node_actor.hpp"

#include "actors/messages/obey.hpp"
#include "actors/transport/start_needs.hpp"
#include "actors/worker/worker_actor.hpp"

namespace troupe {
namespace {

/// Starts worker `index` in this process. If the worker cannot be started, starts another actor in its place, which
/// reports the error to the driver.
void start_worker(caf::actor_system& system, const std::shared_ptr<NodeService>& service, ObjectStore& store,
                  const caf::actor& driver, int index) try {
  // Each worker has a thread of its own, because workers block while they wait for other nodes.
  try_start(needs_of_worker(), "a worker of this node");
  const auto worker = std::make_shared<Worker>(index, store.connect(), CreateModel(), service);
  before_send();
  system.spawn<caf::detached>(worker_actor, worker, driver);
} catch (const Error&) {
  before_send();
  system.spawn(refusing_worker, index, Failure::from(std::current_exception(), ErrorCode::system), driver);
}

template <class... Requests>
caf::behavior obey_all(caf::event_based_actor* self, const std::shared_ptr<NodeService>& service, ObjectStore* store,
                       const caf::actor& driver, const std::shared_ptr<ActorTurns>& turns,
                       std::tuple<StartWorker, Requests...>* /*kinds*/) {
  const auto start = [=](const StartWorker& request) {
    service->note_asked();
    start_worker(self->system(), service, *store, driver, request.worker);
  };
  const auto answer = [=](const auto& request) {
    service->note_asked();
    self->send(driver, ready_to_send(reply_of(*service, request)));
  };
  return {obey<StartWorker>(self, driver, turns, start), obey<Requests>(self, driver, turns, answer)...};
}

}  // namespace

caf::behavior node_actor(caf::event_based_actor* self, const std::shared_ptr<NodeService>& service, ObjectStore* store,
                         const caf::actor& driver, const NodeJoin& join) {
  const auto turns = std::make_shared<ActorTurns>();
  const ActorTurns::Turn turn(*turns);
  self->send(driver, ready_to_send(join));
  return obey_all(self, service, store, driver, turns, static_cast<ToNode*>(nullptr));
}

}  // namespace troupe
