#pragma once

#include <memory>

#include "actors/messages/messages.hpp"
#include "actors/worker/worker.hpp"

namespace troupe {

/// The actor of a worker. Joins the driver, passes each request to the worker, and sends the reply to the driver. Ends
/// on an exit message or with its process.
caf::behavior worker_actor(caf::event_based_actor* self, const std::shared_ptr<Worker>& worker,
                           const caf::actor& driver);

/// Takes the place of a worker that could not be created. Joins the driver, and replies to `Build` with the failure
/// `why`.
caf::behavior refusing_worker(caf::event_based_actor* self, int index, const Failure& why, const caf::actor& driver);

}  // namespace troupe
