#pragma once

#include <cstdint>

#include "actors/messages/messages.hpp"

namespace troupe {

/// Whom the actors of a process speak to.
enum class Reach : std::uint8_t {
  threads,    ///< of this process
  processes,  ///< of this machine
  machines,
};

/// Settings of every actor system of Troupe: message types, a scheduler that sleeps until there is work, heartbeats.
class SystemConfig : public caf::actor_system_config {
 public:
  SystemConfig(std::size_t scheduler_threads, Reach reach);
};

}  // namespace troupe
