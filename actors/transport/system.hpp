#pragma once

#include <chrono>
#include <cstdint>

#include "actors/messages/messages.hpp"
#include "troupe/workers.hpp"

namespace troupe {

/// States where the actors are with which this process exchanges messages.
enum class Reach : std::uint8_t {
  threads,    ///< only in this process
  processes,  ///< also in other processes of this machine
  machines,
};

/// The configuration of every actor system of Troupe. It sets the message types, a scheduler whose threads sleep when
/// idle, and heartbeats between machines.
class SystemConfig : public caf::actor_system_config {
 public:
  /// @param cut_after for how long another machine may send nothing; 0: no limit
  SystemConfig(std::size_t scheduler_threads, Reach reach,
               std::chrono::milliseconds cut_after = FaultToleranceOptions().cut_after);
};

}  // namespace troupe
