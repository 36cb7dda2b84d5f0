#pragma once

#include <memory>

#include "actors/caf.hpp"

namespace troupe {

/// Returns a CAF message handler that calls `work` with each request that `driver` sends. Requests of other senders are
/// ignored.
/// @param self the actor that will handle the requests
/// @param turns the actor's turns, shared by all of its handlers
template <class Request, class Work>
auto obey(caf::event_based_actor* self, const caf::actor& driver, const std::shared_ptr<ActorTurns>& turns, Work work) {
  return [=](const Request& request) {
    const ActorTurns::Turn turn(*turns);
    if (self->current_sender() == driver) work(request);
  };
}

}  // namespace troupe
