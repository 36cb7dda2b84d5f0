#include "actors/transport/system.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>

namespace troupe {

using std::chrono::milliseconds;
using std::chrono::seconds;

namespace {

/// Heartbeats go out so often; what the admission lets through is twice as many.
constexpr milliseconds kHeartbeat{500};
/// When nobody waits for a silent machine: CAF does not know whether it ran itself meanwhile.
constexpr milliseconds kSilentNode = seconds(15);

}  // namespace

SystemConfig::SystemConfig(std::size_t scheduler_threads, Reach reach, milliseconds cut_after) {
  add_message_types<caf::id_block::troupe>();
  // The work-stealing scheduler polls when idle, which costs the replicas their cores.
  set("scheduler.policy", caf::atom("sharing"));
  set("scheduler.max-threads", scheduler_threads);
  if (reach == Reach::threads) return;
  load<caf::io::middleman>();
  set("middleman.app-identifiers", std::vector<std::string>{"troupe"});
  // Processes of one machine see each other's end, and give signs of life elsewhere.
  if (reach == Reach::machines) {
    set("middleman.heartbeat-interval", caf::timespan{kHeartbeat});
    if (cut_after.count() > 0)
      set("middleman.connection-timeout",
          caf::timespan{std::max(kSilentNode, 3 * std::min<milliseconds>(cut_after, std::chrono::hours(24 * 365)))});
  }
  // Messages are small: unpack them where they arrive instead of on yet another thread.
  set("middleman.workers", std::size_t{0});
}

#if defined(__SANITIZE_THREAD__)
namespace {

std::atomic<int> sent{0};

}  // namespace

void before_send() { sent.fetch_add(1, std::memory_order_release); }
void after_receive() { sent.load(std::memory_order_acquire); }
#endif

}  // namespace troupe
