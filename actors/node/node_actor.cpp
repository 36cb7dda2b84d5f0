#include "actors/node/node_actor.hpp"

#include "actors/transport/start_needs.hpp"
#include "actors/worker/worker_actor.hpp"

namespace troupe {
namespace {

/// Carries a request of the driver's out and answers it; nobody else is obeyed.
template <class Request>
auto obey(caf::event_based_actor* self, const std::shared_ptr<NodeService>& service, const caf::actor& driver) {
  return [=](const Request& request) {
    if (self->current_sender() != driver) return;
    Done reply;
    reply.round = request.round;
    try {
      service->carry_out(request);
    } catch (...) {
      reply.failure = Failure::from(std::current_exception(), ErrorCode::system);
    }
    before_send();
    self->send(driver, std::move(reply));
  };
}

template <class... Requests>
caf::behavior obey_all(caf::event_based_actor* self, const std::shared_ptr<NodeService>& service, ObjectStore* store,
                       const caf::actor& driver, std::tuple<StartWorker, Requests...>* /*kinds*/) {
  return {[=](const StartWorker& request) {
            if (self->current_sender() != driver) return;
            try {
              // Workers block while they wait for other nodes: each has its own thread.
              try_start(needs_of_worker(), "a worker of this node");
              auto worker = std::make_shared<Worker>(request.worker, store->connect(), CreateModel(), service);
              self->system().spawn<caf::detached>(worker_actor, std::move(worker), driver);
            } catch (const Error&) {
              const auto why = Failure::from(std::current_exception(), ErrorCode::system);
              self->system().spawn(refusing_worker, request.worker, why, driver);
            }
          },
          obey<Requests>(self, service, driver)...};
}

}  // namespace

caf::behavior node_actor(caf::event_based_actor* self, const std::shared_ptr<NodeService>& service, ObjectStore* store,
                         const caf::actor& driver, const NodeJoin& join) {
  self->send(driver, join);
  return obey_all(self, service, store, driver, static_cast<ToNode*>(nullptr));
}

}  // namespace troupe
