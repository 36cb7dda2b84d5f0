#include "runtime/numbers/finite.hpp"

#include <algorithm>

#include "runtime/simd.hpp"
#include "troupe/optimizer.hpp"

namespace troupe {
namespace {

TROUPE_CLONES std::uint32_t largest_bits(const float* values, std::size_t count) {
  std::uint32_t largest = 0;
  for (std::size_t i = 0; i < count; ++i) largest = std::max(largest, magnitude_bits(values[i]));
  return largest;
}

}  // namespace

std::uint32_t largest_magnitude(std::span<const float> values) { return largest_bits(values.data(), values.size()); }

bool all_finite(std::span<const float> values) { return is_finite(largest_magnitude(values)); }

}  // namespace troupe
