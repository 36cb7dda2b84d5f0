#include "actors/worker_actor.hpp"

#include <unistd.h>

namespace troupe {
namespace {

/// Replies come from the replicas' threads, straight to the driver.
auto reply_to(caf::event_based_actor* self) {
  after_receive();
  return [to = caf::actor_cast<caf::actor>(self->current_sender())](auto reply) {
    before_send();
    caf::anon_send(to, std::move(reply));
  };
}

}  // namespace

caf::behavior worker_actor(caf::event_based_actor* self, const std::shared_ptr<Worker>& worker,
                           const caf::actor& driver) {
  self->send(driver, Join{kProtocolVersion, worker->index(), static_cast<std::int32_t>(::getpid())});
  return {
      [=](const Build& request) { worker->build(request, reply_to(self)); },
      [=](const Attach& request) { worker->attach(request, reply_to(self)); },
      [=](const Compute& request) { worker->compute(request, reply_to(self)); },
      [=](const Apply& request) { worker->apply(request, reply_to(self)); },
      [=](const Task& request) { worker->task(request, reply_to(self)); },
  };
}

}  // namespace troupe
