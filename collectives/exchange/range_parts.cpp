#include "collectives/exchange/range_parts.hpp"

#include <algorithm>

#include "runtime/processes/memory.hpp"

namespace troupe {
namespace {

/// The minimum number of pages per part. Applying 64 pages takes about 30 microseconds, which is longer than it takes
/// to wake a thread.
constexpr std::size_t kLeastPages = 64;

}  // namespace

std::vector<Range> parts_of(const Range& range, std::size_t learned_size, int threads) {
  const std::size_t end = std::clamp(learned_size, range.begin, range.end);
  const std::size_t pages = (end - range.begin) / kPageFloats;
  const std::size_t count = std::clamp<std::size_t>(pages / kLeastPages, 1, static_cast<std::size_t>(threads));
  std::vector<Range> parts;
  for (std::size_t i = 0; i < count; ++i)
    parts.push_back(
        {range.begin + pages * i / count * kPageFloats, range.begin + pages * (i + 1) / count * kPageFloats});
  parts.back().end = range.end;
  return parts;
}

}  // namespace troupe
