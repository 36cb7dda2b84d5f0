#pragma once

#include <cstddef>

namespace troupe {

/// How memory is kept in its place, so that a device can copy from and to it by itself, without the processor.
struct PageLock {
  /// Returns false where it cannot; then the memory is copied all the same, by the processor.
  bool (*lock)(void* start, std::size_t bytes, bool writable);
  /// False where it could not; then the memory stays mapped.
  bool (*unlock)(void* start);
};

/// From now on each Mapping, and what `allocate_lockable` gives, is locked as long as it lives, and so are those that
/// there are. The first call counts.
void lock_mappings(const PageLock& by);
/// Whether there was such a call.
bool locks_mappings();

/// Whole pages, of this process alone. @throws std::bad_alloc
void* allocate_lockable(std::size_t bytes);
void free_lockable(void* start) noexcept;

/// For Mapping: memory that begins, and ends, to be mapped.
void note_mapped(void* start, std::size_t bytes, bool writable);
/// Returns whether it may be unmapped: a device must not go on with pages that are no longer there.
bool note_unmapped(void* start);

}  // namespace troupe
