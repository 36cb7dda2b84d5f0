#pragma once

#include "actors/messages.hpp"

namespace troupe {

/// Settings of every actor system of Troupe: message types, a scheduler that sleeps until there is work, heartbeats.
class SystemConfig : public caf::actor_system_config {
 public:
  /// @param network loads CAF's middleman.
  SystemConfig(std::size_t scheduler_threads, bool network);
};

}  // namespace troupe
