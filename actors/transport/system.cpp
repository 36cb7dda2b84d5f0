#include "actors/transport/system.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>

namespace troupe {

using std::chrono::milliseconds;
using std::chrono::seconds;

namespace {

/// The interval of heartbeats. The admission allows twice as many.
constexpr milliseconds kHeartbeat{500};
/// CAF's own timeout for silent machines, which applies while no round waits for them. It is generous, because CAF does
/// not notice if this process itself was stopped.
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
  // Processes of one machine detect each other's end, and show signs of life by other means.
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
