#pragma once

#include <memory>

#include "actors/messages/messages.hpp"
#include "actors/node/node_service.hpp"
#include "actors/transport/system.hpp"

namespace troupe {

/// The behavior of a node's actor. Sends `join` to the driver. Then executes the driver's requests, and starts workers
/// in this process when the driver requests them. Blocks its thread during a request, so it must be spawned detached.
/// @param store the node's object store, to which new workers connect
caf::behavior node_actor(caf::event_based_actor* self, const std::shared_ptr<NodeService>& service, ObjectStore* store,
                         const caf::actor& driver, const NodeJoin& join);

}  // namespace troupe
