#pragma once

#include <cstddef>

namespace troupe {

/// [begin, end) of what is numbered: floats of the flat vectors, shards, lanes.
struct Range {
  std::size_t begin = 0;
  std::size_t end = 0;

  std::size_t size() const { return end - begin; }
  bool empty() const { return begin >= end; }
  bool operator==(const Range&) const = default;
};

}  // namespace troupe
