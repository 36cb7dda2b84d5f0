#include "collectives/state/page_sum.hpp"

#include <algorithm>

#include "runtime/hash.hpp"
#include "runtime/processes/memory.hpp"

namespace troupe {

std::uint64_t page_sum(std::span<const float> floats, std::size_t begin) {
  std::uint64_t sum = 0;
  while (!floats.empty()) {
    const std::size_t page = begin / kPageFloats;
    const std::size_t count = std::min((page + 1) * kPageFloats - begin, floats.size());
    sum += checksum(std::as_bytes(floats.first(count)), page);
    floats = floats.subspan(count);
    begin += count;
  }
  return sum;
}

}  // namespace troupe
