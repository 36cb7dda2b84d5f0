#pragma once

#include <chrono>
#include <cstdint>

#include "actors/messages/messages.hpp"
#include "troupe/workers.hpp"

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
  /// @param cut_after how long a machine may be silent that is waited for; 0: for ever
  SystemConfig(std::size_t scheduler_threads, Reach reach,
               std::chrono::milliseconds cut_after = FaultToleranceOptions().cut_after);
};

}  // namespace troupe
