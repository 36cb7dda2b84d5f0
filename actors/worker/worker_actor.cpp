#include "actors/worker/worker_actor.hpp"

#include <unistd.h>

#include "actors/messages/obey.hpp"
#include "runtime/fork/owning_process.hpp"

namespace troupe {
namespace {

/// A function object that sends a reply to the driver, with the worker's actor as the sender. Threads of replicas may
/// call it.
struct Replying {
  caf::actor from, driver;
  ForkBarrier barrier =
      {};  ///< ends a child made by fork, because a message that it sends would corrupt the parent's connection

  template <class Reply>
  void operator()(Reply reply) const {
    barrier.end_child();
    caf::send_as(from, driver, ready_to_send(std::move(reply)));
  }
};

Replying reply_to(caf::event_based_actor* self, const caf::actor& driver) {
  return {caf::actor_cast<caf::actor>(self), driver};
}

template <class... Requests>
caf::behavior obey_all(caf::event_based_actor* self, const std::shared_ptr<Worker>& worker, const caf::actor& driver,
                       const std::shared_ptr<ActorTurns>& turns, std::tuple<Requests...>* /*kinds*/) {
  return {obey<Requests>(self, driver, turns,
                         [=](const auto& request) { worker->carry_out(request, reply_to(self, driver)); })...};
}

void join(caf::event_based_actor* self, const caf::actor& driver, int index) {
  self->send(driver, ready_to_send(Join{kProtocolVersion, index, static_cast<std::int32_t>(::getpid())}));
}

}  // namespace

caf::behavior worker_actor(caf::event_based_actor* self, const std::shared_ptr<Worker>& worker,
                           const caf::actor& driver) {
  const auto turns = std::make_shared<ActorTurns>();
  const ActorTurns::Turn turn(*turns);
  join(self, driver, worker->index());
  return obey_all(self, worker, driver, turns, static_cast<ToWorker*>(nullptr));
}

caf::behavior refusing_worker(caf::event_based_actor* self, int index, const Failure& why, const caf::actor& driver) {
  const auto turns = std::make_shared<ActorTurns>();
  const ActorTurns::Turn turn(*turns);
  join(self, driver, index);
  return {obey<Build>(self, driver, turns, [=](const Build& request) {
    Built built;
    built.round = request.round;
    built.failure = why;
    reply_to(self, driver)(std::move(built));
  })};
}

}  // namespace troupe
