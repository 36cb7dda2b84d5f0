#include "actors/system.hpp"

#include <chrono>

namespace troupe {

using std::chrono::seconds;

SystemConfig::SystemConfig(std::size_t scheduler_threads, bool network) {
  add_message_types<caf::id_block::troupe>();
  // The work-stealing scheduler polls when idle, which costs the replicas their cores.
  set("scheduler.policy", caf::atom("sharing"));
  set("scheduler.max-threads", scheduler_threads);
  if (!network) return;
  load<caf::io::middleman>();
  set("middleman.app-identifiers", std::vector<std::string>{"troupe"});
  set("middleman.heartbeat-interval", caf::timespan{seconds(1)});
  set("middleman.connection-timeout", caf::timespan{seconds(60)});
  // Messages are small: unpack them where they arrive instead of on yet another thread.
  set("middleman.workers", std::size_t{0});
}

}  // namespace troupe
