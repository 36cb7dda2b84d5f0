#include "actors/transport/system.hpp"

#include <atomic>
#include <chrono>

namespace troupe {

using std::chrono::seconds;

namespace {

/// After how long without a heartbeat the other end counts as gone. A process of this machine that ends is seen at
/// once; a machine may vanish without a word.
constexpr caf::timespan kSilentProcess = seconds(60);
constexpr caf::timespan kSilentNode = seconds(15);

}  // namespace

SystemConfig::SystemConfig(std::size_t scheduler_threads, Reach reach) {
  add_message_types<caf::id_block::troupe>();
  // The work-stealing scheduler polls when idle, which costs the replicas their cores.
  set("scheduler.policy", caf::atom("sharing"));
  set("scheduler.max-threads", scheduler_threads);
  if (reach == Reach::threads) return;
  load<caf::io::middleman>();
  set("middleman.app-identifiers", std::vector<std::string>{"troupe"});
  set("middleman.heartbeat-interval", caf::timespan{seconds(1)});
  set("middleman.connection-timeout", reach == Reach::machines ? kSilentNode : kSilentProcess);
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
