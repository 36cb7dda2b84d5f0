#include "runtime/http/traffic.hpp"

#include <atomic>

namespace troupe {
namespace {

struct Totals {
  std::atomic<std::int64_t> bytes = 0;
  std::atomic<std::int64_t> requests = 0;
  std::atomic<std::int64_t> retries = 0;
  std::atomic<std::int64_t> cache_hits = 0;
};
Totals totals;

}  // namespace

void note_remote_traffic(const RemoteTraffic& more) noexcept {
  totals.bytes += more.bytes;
  totals.requests += more.requests;
  totals.retries += more.retries;
  totals.cache_hits += more.cache_hits;
}

RemoteTraffic take_remote_traffic() noexcept {
  return {totals.bytes.exchange(0), totals.requests.exchange(0), totals.retries.exchange(0),
          totals.cache_hits.exchange(0)};
}

}  // namespace troupe
