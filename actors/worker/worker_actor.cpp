#include "actors/worker/worker_actor.hpp"

#include <unistd.h>

namespace troupe {
namespace {

/// Replies come from the replicas' threads, straight to the driver, in the worker's name.
auto reply_to(caf::event_based_actor* self, const caf::actor& driver) {
  after_receive();
  return [from = caf::actor_cast<caf::actor>(self), driver](auto reply) {
    before_send();
    caf::send_as(from, driver, std::move(reply));
  };
}

/// What to do with a request, which is the driver's alone to make.
template <class Request, class Work>
auto obey(caf::event_based_actor* self, const caf::actor& driver, Work work) {
  return [=](const Request& request) {
    if (self->current_sender() == driver) work(request, reply_to(self, driver));
  };
}

}  // namespace

caf::behavior worker_actor(caf::event_based_actor* self, const std::shared_ptr<Worker>& worker,
                           const caf::actor& driver) {
  self->send(driver, Join{kProtocolVersion, worker->index(), static_cast<std::int32_t>(::getpid())});
  return {
      obey<Build>(self, driver, [worker](const auto&... with) { worker->build(with...); }),
      obey<Attach>(self, driver, [worker](const auto&... with) { worker->attach(with...); }),
      obey<Compute>(self, driver, [worker](const auto&... with) { worker->compute(with...); }),
      obey<Apply>(self, driver, [worker](const auto&... with) { worker->apply(with...); }),
      obey<Task>(self, driver, [worker](const auto&... with) { worker->task(with...); }),
  };
}

caf::behavior refusing_worker(caf::event_based_actor* self, int index, const Failure& why, const caf::actor& driver) {
  self->send(driver, Join{kProtocolVersion, index, static_cast<std::int32_t>(::getpid())});
  return {obey<Build>(self, driver, [=](const Build& request, const auto& reply) {
    Built built;
    built.round = request.round;
    built.worker = index;
    built.failure = why;
    reply(std::move(built));
  })};
}

}  // namespace troupe
