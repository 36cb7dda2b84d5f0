#pragma once

#include <chrono>
#include <cstdint>

#include "actors/messages/messages.hpp"
#include "troupe/workers.hpp"

namespace troupe {

/// States with which actors this process exchanges messages.
enum class Reach : std::uint8_t {
  threads,    ///< only with actors of this process
  processes,  ///< also with actors in other processes of this machine
  machines,
};

/// The configuration of every actor system of Troupe. The configuration sets the types of messages, a scheduler whose
/// threads sleep when idle, and heartbeats between machines.
class SystemConfig : public caf::actor_system_config {
 public:
  /// @param cut_after the time after which another machine that sends nothing counts as lost; 0: no limit
  SystemConfig(std::size_t scheduler_threads, Reach reach,
               std::chrono::milliseconds cut_after = FaultToleranceOptions().cut_after);
};

}  // namespace troupe
