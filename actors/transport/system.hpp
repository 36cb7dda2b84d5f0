#pragma once

#include <chrono>
#include <cstdint>

#include "actors/messages/messages.hpp"
#include "troupe/workers.hpp"

namespace troupe {

/// The actors with which the actors of a process exchange messages.
enum class Reach : std::uint8_t {
  threads,    ///< in this process
  processes,  ///< in processes on this machine
  machines,
};

/// Settings of every actor system of Troupe: message types, a scheduler that sleeps when idle, and heartbeats.
class SystemConfig : public caf::actor_system_config {
 public:
  /// @param cut_after how long a machine may be silent; 0: without a limit
  SystemConfig(std::size_t scheduler_threads, Reach reach,
               std::chrono::milliseconds cut_after = FaultToleranceOptions().cut_after);
};

}  // namespace troupe
