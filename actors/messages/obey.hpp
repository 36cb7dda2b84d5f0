#pragma once

#include <memory>

#include "actors/caf.hpp"

namespace troupe {

/// A handler for a request, which is the driver's alone to make: nobody else is obeyed.
/// @param turns of the actor, which all of its handlers share
template <class Request, class Work>
auto obey(caf::event_based_actor* self, const caf::actor& driver, const std::shared_ptr<ActorTurns>& turns, Work work) {
  return [=](const Request& request) {
    const ActorTurns::Turn turn(*turns);
    if (self->current_sender() == driver) work(request);
  };
}

}  // namespace troupe
