#pragma once

#include <memory>

#include "actors/messages/messages.hpp"
#include "actors/worker/worker.hpp"

namespace troupe {

/// Returns the behavior of a worker's actor. The actor sends `Join` to the driver, passes each request of the driver to
/// `worker`, and sends the replies to the driver. The actor ends when it receives an exit message, or with its process.
caf::behavior worker_actor(caf::event_based_actor* self, const std::shared_ptr<Worker>& worker,
                           const caf::actor& driver);

/// Returns the behavior of an actor that stands for a worker which could not be created. The actor sends `Join` to the
/// driver, and replies to the request `Build` with the failure `why`.
caf::behavior refusing_worker(caf::event_based_actor* self, int index, const Failure& why, const caf::actor& driver);

}  // namespace troupe
