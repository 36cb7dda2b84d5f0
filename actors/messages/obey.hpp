#pragma once

#include <memory>

#include "actors/caf.hpp"

namespace troupe {

/// Returns a handler for a request. Only the driver may send requests; requests of other senders are ignored.
/// @param turns the actor's turns, shared by all of its handlers
template <class Request, class Work>
auto obey(caf::event_based_actor* self, const caf::actor& driver, const std::shared_ptr<ActorTurns>& turns, Work work) {
  return [=](const Request& request) {
    const ActorTurns::Turn turn(*turns);
    if (self->current_sender() == driver) work(request);
  };
}

}  // namespace troupe
