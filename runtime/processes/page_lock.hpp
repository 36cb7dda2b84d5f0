#pragma once

#include <cstddef>

namespace troupe {

/// How memory is kept in its place, so that a device can copy from and to it by itself, without the processor.
struct PageLock {
  /// Returns false where it cannot; then the memory is copied all the same, by the processor.
  bool (*lock)(void* start, std::size_t bytes, bool writable);
  void (*unlock)(void* start);
};

/// From now on each Mapping is locked as long as it lives, and so are those that there are. The first call counts.
void lock_mappings(const PageLock& by);

/// For Mapping: memory that begins, and ends, to be mapped.
void note_mapped(void* start, std::size_t bytes, bool writable);
void note_unmapped(void* start);

}  // namespace troupe
