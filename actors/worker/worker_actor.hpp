#pragma once

#include <memory>

#include "actors/messages/messages.hpp"
#include "actors/worker/worker.hpp"

namespace troupe {

/// The actor around a worker: joins the driver, then hands each request on and sends the reply to who asked. Ends
/// when it is told to exit, or its process does.
caf::behavior worker_actor(caf::event_based_actor* self, const std::shared_ptr<Worker>& worker,
                           const caf::actor& driver);

/// In place of a worker that cannot be: joins the driver, and tells it why when it is to build replicas.
caf::behavior refusing_worker(caf::event_based_actor* self, int index, const Failure& why, const caf::actor& driver);

}  // namespace troupe
