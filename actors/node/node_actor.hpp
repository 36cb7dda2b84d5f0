#pragma once

#include <memory>

#include "actors/messages/messages.hpp"
#include "actors/node/node_service.hpp"
#include "actors/transport/system.hpp"

namespace troupe {

/// Returns the behavior of a node's actor. The actor first sends `join` to the driver. Then it executes the driver's
/// requests, and starts workers in this process when the driver requests workers. The actor blocks its thread during a
/// request, so it must be spawned detached.
/// @param service executes the driver's requests
/// @param store the node's object store, to which new workers connect
caf::behavior node_actor(caf::event_based_actor* self, const std::shared_ptr<NodeService>& service, ObjectStore* store,
                         const caf::actor& driver, const NodeJoin& join);

}  // namespace troupe
