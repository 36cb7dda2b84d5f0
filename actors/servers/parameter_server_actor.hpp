#pragma once

#include <memory>

#include "actors/messages/messages.hpp"
#include "actors/servers/parameter_server.hpp"

namespace troupe {

/// Obeys the driver alone, and does what it is told in order, as long as somebody else keeps the server.
caf::behavior parameter_server_actor(caf::event_based_actor* self, const std::weak_ptr<ParameterServer>& server,
                                     const caf::actor& driver);

}  // namespace troupe
