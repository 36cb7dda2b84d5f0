#pragma once

#include <tuple>

#include "actors/messages.hpp"

namespace troupe::fuzz {

/// All that crosses a connection between driver, workers and nodes. An input's first byte chooses one.
using Messages = std::tuple<Join, Build, Built, Attach, Compute, Computed, Apply, Applied, Task, TaskDone, NodeJoin,
                            StartWorker, BeginGeneration, NodeTask>;

}  // namespace troupe::fuzz
