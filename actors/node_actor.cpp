#include "actors/node_actor.hpp"

#include "actors/worker_actor.hpp"

namespace troupe {
namespace {

/// Carries a request out and answers it.
template <class Request, class Work>
void answer(caf::event_based_actor* self, const Request& request, Work work) {
  TaskDone reply;
  reply.round = request.round;
  reply.worker = request.member;
  try {
    work();
  } catch (...) {
    reply.failure = Failure::from(std::current_exception(), ErrorCode::system);
  }
  before_send();
  self->send(caf::actor_cast<caf::actor>(self->current_sender()), std::move(reply));
}

}  // namespace

caf::behavior node_actor(caf::event_based_actor* self, const std::shared_ptr<NodeService>& service, ObjectStore* store,
                         const caf::actor& driver, const NodeJoin& join) {
  self->send(driver, join);
  return {
      [=](const StartWorker& request) {
        // Workers block while they wait for other nodes: each has its own thread.
        auto worker = std::make_shared<Worker>(request.worker, store->connect(), CreateModel(), service);
        self->system().spawn<caf::detached>(worker_actor, std::move(worker), driver);
      },
      [=](const BeginGeneration& request) { answer(self, request, [&] { service->begin(request); }); },
      [=](const NodeTask& request) { answer(self, request, [&] { service->task(request); }); },
  };
}

}  // namespace troupe
