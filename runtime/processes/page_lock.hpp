#pragma once

#include <cstddef>

namespace troupe {

/// How memory is kept in its place, so that a device can copy from and to it by itself, without the processor.
struct PageLock {
  /// Returns false where it cannot; then the memory is copied all the same, by the processor.
  bool (*lock)(void* start, std::size_t bytes, bool writable);
  /// False where it could not; then the memory stays as it is until the process ends.
  bool (*unlock)(void* start);
};

/// From now on each Mapping, and what `allocate_lockable` gives, is locked as long as it lives, and so are those that
/// there are. One thread locks and unlocks all of them, soon: a device that hangs may keep it for good, but nobody who
/// maps or unmaps. The first call counts. @throws Error limit_reached where no thread can be started
void lock_mappings(const PageLock& by);
/// Whether there was such a call.
bool locks_mappings();
/// Waits until all memory that there was is locked, or could not be, and what had ended is given back.
void await_page_locks();

/// Whole pages, of this process alone. @throws std::bad_alloc
void* allocate_lockable(std::size_t bytes);
void free_lockable(void* start) noexcept;

/// For Mapping: memory that begins to be mapped, and some that is to end as soon as no device copies it any more, by
/// `give_back`.
void note_mapped(void* start, std::size_t bytes, bool writable);
void end_mapped(void* start, void (*give_back)(void* start, std::size_t bytes)) noexcept;

}  // namespace troupe
