#pragma once

#include <cstddef>

namespace troupe {

/// A half-open range [begin, end) of indices, for example of floats in a flat vector, of shards, or of lanes.
struct Range {
  std::size_t begin = 0;
  std::size_t end = 0;

  std::size_t size() const { return end - begin; }
  bool empty() const { return begin >= end; }
  bool operator==(const Range&) const = default;
};

}  // namespace troupe
