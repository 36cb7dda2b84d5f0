#include "runtime/http/traffic.hpp"

#include <mutex>
#include <utility>

namespace troupe {
namespace {

struct Totals {
  std::mutex mutex;
  RemoteTraffic all;
  RemoteTraffic taken;
};
Totals totals;

}  // namespace

void note_remote_traffic(const RemoteTraffic& more) noexcept {
  const std::lock_guard lock(totals.mutex);
  totals.all += more;
}

RemoteTraffic remote_traffic() noexcept {
  const std::lock_guard lock(totals.mutex);
  return totals.all;
}

RemoteTraffic take_remote_traffic() noexcept {
  const std::lock_guard lock(totals.mutex);
  const RemoteTraffic before = std::exchange(totals.taken, totals.all);
  return {totals.all.bytes - before.bytes, totals.all.requests - before.requests, totals.all.retries - before.retries,
          totals.all.cache_hits - before.cache_hits};
}

}  // namespace troupe
