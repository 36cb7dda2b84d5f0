#pragma once

#include <cstddef>

namespace troupe {

/// The functions by which a device's library locks pages of memory. Locked pages stay at their physical address, so the
/// device can copy them without the processor.
struct PageLock {
  /// Locks `bytes` bytes of memory from `start` on. Returns false on failure; copies of this memory then need the
  /// processor.
  bool (*lock)(void* start, std::size_t bytes, bool writable);
  /// Unlocks the locked range that starts at `start`. Returns false on failure; the memory then stays allocated until
  /// the process ends.
  bool (*unlock)(void* start);
};

/// Starts a background thread that locks all lockable memory, with the functions of `by`. Lockable memory is each
/// Mapping and each block of `allocate_lockable`, whether it exists already or is made later. The memory stays locked
/// until it is destroyed or freed. If a device hangs, only the background thread hangs, and not the threads that make
/// or destroy the memory. Only the first call has an effect.
/// @throws Error limit_reached if no thread can be started
void lock_mappings(const PageLock& by);
/// Returns whether `lock_mappings` has been called.
bool locks_mappings();
/// Blocks until the thread of `lock_mappings` has handled all lockable memory that was allocated or freed before this
/// call. Allocated memory is then locked, unless the lock failed. Freed memory has been returned to the system, unless
/// it could not be unlocked. Writes to the log how many bytes of writable memory could not be locked since the last
/// call, if there are any. The caller must not hold a mutex, because the log may run user code.
void await_page_locks();

/// Allocates `bytes` bytes of memory, rounded up to whole pages. The thread of `lock_mappings` locks these pages.
/// @throws std::bad_alloc
void* allocate_lockable(std::size_t bytes);
/// Frees a block that `allocate_lockable` has returned. If the block is locked, the thread of `lock_mappings` first
/// unlocks it, so the memory is freed later.
void free_lockable(void* start) noexcept;

/// Class Mapping calls these functions. `note_mapped` registers mapped memory as lockable. `end_mapped` ends the
/// registration: it unlocks the memory if necessary, and calls `give_back`, which unmaps the memory. If `lock_mappings`
/// was called, its thread does this later.
void note_mapped(void* start, std::size_t bytes, bool writable);
void end_mapped(void* start, void (*give_back)(void* start, std::size_t bytes)) noexcept;

}  // namespace troupe
