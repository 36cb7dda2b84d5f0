#pragma once

#include <memory>

#include "actors/messages/messages.hpp"
#include "actors/node/node_service.hpp"
#include "actors/transport/system.hpp"

namespace troupe {

/// The actor of a node. Joins the driver, starts workers in the same process and carries out the driver's requests.
/// Blocks while it carries out a request, so it must be spawned detached.
caf::behavior node_actor(caf::event_based_actor* self, const std::shared_ptr<NodeService>& service, ObjectStore* store,
                         const caf::actor& driver, const NodeJoin& join);

}  // namespace troupe
