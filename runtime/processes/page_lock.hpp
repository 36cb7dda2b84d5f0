#pragma once

#include <cstddef>

namespace troupe {

/// Functions that lock memory in place, so that a device can copy from and to it directly, without the processor.
struct PageLock {
  /// Returns false on failure; the processor then copies the memory.
  bool (*lock)(void* start, std::size_t bytes, bool writable);
  /// Returns false on failure; the memory then stays allocated until the process ends.
  bool (*unlock)(void* start);
};

/// Locks each Mapping and each block of `allocate_lockable` for its lifetime, including those that already exist. One
/// thread locks and unlocks all of them asynchronously. If a device hangs, only that thread hangs, not the threads that
/// map or unmap. Only the first call has an effect. @throws Error limit_reached if no thread can be started
void lock_mappings(const PageLock& by);
/// Returns whether `lock_mappings` has been called.
bool locks_mappings();
/// Waits until all earlier memory has been locked (or could not be locked) and all memory that was ended has been given
/// back.
void await_page_locks();

/// Allocates private memory in whole pages. @throws std::bad_alloc
void* allocate_lockable(std::size_t bytes);
void free_lockable(void* start) noexcept;

/// For Mapping: registers mapped memory; ends it. `give_back` is called as soon as no device copies the memory.
void note_mapped(void* start, std::size_t bytes, bool writable);
void end_mapped(void* start, void (*give_back)(void* start, std::size_t bytes)) noexcept;

}  // namespace troupe
