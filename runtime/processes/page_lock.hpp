#pragma once

#include <cstddef>

namespace troupe {

/// Functions that lock pages of memory, so that the pages cannot move and a device can copy them directly, without the
/// processor.
struct PageLock {
  /// Locks a range of memory. Returns false on failure; the processor then copies the memory.
  bool (*lock)(void* start, std::size_t bytes, bool writable);
  /// Unlocks the range that starts at `start`. Returns false on failure; the memory then stays allocated until the
  /// process ends.
  bool (*unlock)(void* start);
};

/// Makes a thread lock each Mapping and each block of `allocate_lockable` for its lifetime, including those that
/// already exist. The thread calls the functions of `by` in the background. If a device hangs, only this thread hangs,
/// and not the threads that make or destroy a Mapping or block. Only the first call has an effect.
/// @throws Error limit_reached if no thread can be started
void lock_mappings(const PageLock& by);
/// Returns whether `lock_mappings` has been called.
bool locks_mappings();
/// Waits until the thread has handled all memory that was allocated or freed before this call: allocated memory is then
/// locked, or cannot be locked, and freed memory has been returned to the system.
void await_page_locks();

/// Allocates private memory in whole pages, which `lock_mappings` locks. @throws std::bad_alloc
void* allocate_lockable(std::size_t bytes);
/// Frees memory of `allocate_lockable`, as soon as no device copies it.
void free_lockable(void* start) noexcept;

/// Register mapped memory, and end the registration; for Mapping. `end_mapped` makes `give_back`, which unmaps the
/// memory, be called as soon as no device copies the memory.
void note_mapped(void* start, std::size_t bytes, bool writable);
void end_mapped(void* start, void (*give_back)(void* start, std::size_t bytes)) noexcept;

}  // namespace troupe
