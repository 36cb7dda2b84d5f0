#include "runtime/processes/page_lock.hpp"

#include <map>
#include <mutex>
#include <optional>

namespace troupe {
namespace {

struct Mapped {
  std::size_t bytes;
  bool writable;
  bool locked;
};

/// Never destroyed: mappings may outlive what has static storage.
struct Mappings {
  std::mutex mutex;
  std::map<void*, Mapped> all;
  std::optional<PageLock> by;
};

Mappings& mappings() {
  static auto* const all = new Mappings;
  return *all;
}

}  // namespace

void lock_mappings(const PageLock& by) {
  Mappings& mapped = mappings();
  const std::scoped_lock lock(mapped.mutex);
  if (mapped.by) return;
  mapped.by = by;
  for (auto& [start, each] : mapped.all) each.locked = by.lock(start, each.bytes, each.writable);
}

void note_mapped(void* start, std::size_t bytes, bool writable) {
  Mappings& mapped = mappings();
  const std::scoped_lock lock(mapped.mutex);
  Mapped& each = mapped.all[start] = {bytes, writable, false};
  each.locked = mapped.by && mapped.by->lock(start, bytes, writable);
}

bool note_unmapped(void* start) {
  Mappings& mapped = mappings();
  const std::scoped_lock lock(mapped.mutex);
  const auto found = mapped.all.find(start);
  const bool free = !found->second.locked || mapped.by->unlock(start);
  mapped.all.erase(found);
  return free;
}

}  // namespace troupe
