#include "actors/transport/system.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>

namespace troupe {

using std::chrono::milliseconds;
using std::chrono::seconds;

namespace {

/// The interval at which each end of a connection sends heartbeats. `LinkAdmission` allows four heartbeats per second.
constexpr milliseconds kHeartbeat{500};
/// The minimum time after which CAF ends the connection to a machine that sends nothing. This time is long, because CAF
/// cannot detect that this process itself was stopped, and would then blame the other machine. Troupe's shorter limit
/// (`cut_after`) takes stops of this process into account.
constexpr milliseconds kSilentNode = seconds(15);

}  // namespace

SystemConfig::SystemConfig(std::size_t scheduler_threads, Reach reach, milliseconds cut_after) {
  add_message_types<caf::id_block::troupe>();
  // The threads of CAF's default scheduler (work stealing) poll when they are idle, which takes processor time from the
  // replicas. The threads of the scheduler "sharing" sleep instead.
  set("scheduler.policy", caf::atom("sharing"));
  set("scheduler.max-threads", scheduler_threads);
  if (reach == Reach::threads) return;
  load<caf::io::middleman>();
  set("middleman.app-identifiers", std::vector<std::string>{"troupe"});
  // Processes of one machine need no heartbeats, because they detect each other's end at once, and have a counter as a
  // sign of life.
  if (reach == Reach::machines) {
    set("middleman.heartbeat-interval", caf::timespan{kHeartbeat});
    if (cut_after.count() > 0)
      set("middleman.connection-timeout",
          caf::timespan{std::max(kSilentNode, 3 * std::min<milliseconds>(cut_after, std::chrono::hours(24 * 365)))});
  }
  // Make CAF unpack messages on the thread that receives them, without additional threads, because messages are small.
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
