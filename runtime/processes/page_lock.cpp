#include "runtime/processes/page_lock.hpp"

#include <map>
#include <mutex>
#include <new>
#include <optional>

#include "runtime/processes/memory.hpp"

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

bool locks_mappings() {
  Mappings& mapped = mappings();
  const std::scoped_lock lock(mapped.mutex);
  return mapped.by.has_value();
}

void note_mapped(void* start, std::size_t bytes, bool writable) {
  Mappings& mapped = mappings();
  const std::scoped_lock lock(mapped.mutex);
  Mapped& each = mapped.all[start] = {bytes, writable, false};
  each.locked = mapped.by && mapped.by->lock(start, bytes, writable);
}

void* allocate_lockable(std::size_t bytes) {
  const std::size_t whole = (bytes + kPageBytes - 1) / kPageBytes * kPageBytes;
  void* const start = ::operator new (whole, std::align_val_t{kPageBytes});
  try {
    note_mapped(start, whole, /*writable=*/true);
  } catch (...) {
    ::operator delete (start, std::align_val_t{kPageBytes});
    throw;
  }
  return start;
}

void free_lockable(void* start) noexcept {
  if (note_unmapped(start)) ::operator delete (start, std::align_val_t{kPageBytes});
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
