#pragma once

#include "actors/messages/messages.hpp"
#include "troupe/sgd.hpp"

namespace troupe {

/// Settings of every actor system of Troupe: message types, a scheduler that sleeps until there is work, heartbeats.
class SystemConfig : public caf::actor_system_config {
 public:
  /// @param placement of the run: workers in other processes are reached through CAF's middleman.
  SystemConfig(std::size_t scheduler_threads, Placement placement);
};

}  // namespace troupe
