#pragma once

#include <cstddef>
#include <cstdint>
#include <map>

namespace troupe::cuda_double {

struct PinnedRange {
  std::size_t bytes = 0;
  int device = 0;
  bool owned = false;  ///< allocated by the double, not registered
  bool read_only = false;
};

/// The page-locked memory of the host.
class Pinned {
 public:
  Pinned() = default;
  ~Pinned() { clear(); }
  Pinned(const Pinned&) = delete;
  Pinned& operator=(const Pinned&) = delete;

  void* allocate(std::size_t bytes, int device);
  void add(void* start, const PinnedRange& range) { ranges_[static_cast<std::byte*>(start)] = range; }

  /// @return null unless a range starts there
  const PinnedRange* starting_at(const void* start) const;

  /// Returns a range that overlaps with these bytes. @return null if there is none
  const PinnedRange* touching(const void* start, std::size_t bytes) const;

  bool holds(const void* start, std::size_t bytes) const;
  void remove(void* start);
  void clear();
  std::int64_t size() const { return static_cast<std::int64_t>(ranges_.size()); }

 private:
  using Ranges = std::map<const std::byte*, PinnedRange>;
  Ranges::const_iterator touching_range(const void* start, std::size_t bytes) const;

  Ranges ranges_;
};

Pinned& pinned();

}  // namespace troupe::cuda_double
