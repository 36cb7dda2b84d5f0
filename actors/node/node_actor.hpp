#pragma once

#include <memory>

#include "actors/messages/messages.hpp"
#include "actors/node/node_service.hpp"
#include "actors/transport/system.hpp"

namespace troupe {

/// The actor of a node: joins the driver, starts workers beside itself and does what the driver asks of the node. It
/// blocks while it does, so it is to be spawned detached.
caf::behavior node_actor(caf::event_based_actor* self, const std::shared_ptr<NodeService>& service, ObjectStore* store,
                         const caf::actor& driver, const NodeJoin& join);

}  // namespace troupe
