#include "collectives/exchange/page_squares.hpp"

#include <algorithm>
#include <array>

#include "runtime/processes/memory.hpp"
#include "runtime/simd.hpp"

namespace troupe {
namespace {

constexpr std::size_t kLanes = 16;

/// Returns the sum of the squares of `count` floats. Always adds in kLanes partial sums, so that the result is bitwise
/// identical for SIMD registers of every width. The square of a float is exact as a double.
TROUPE_CLONES double sum_of_squares(const float* values, std::size_t count) {
  std::array<double, kLanes> sums{};
  const std::size_t whole = count - count % kLanes;
  for (std::size_t i = 0; i < whole; i += kLanes)
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
      const auto value = static_cast<double>(values[i + lane]);
      sums[lane] += value * value;
    }
  for (std::size_t i = whole; i < count; ++i) {
    const auto value = static_cast<double>(values[i]);
    sums[i - whole] += value * value;
  }
  for (std::size_t width = kLanes / 2; width > 0; width /= 2)
    for (std::size_t lane = 0; lane < width; ++lane) sums[lane] += sums[lane + width];
  return sums[0];
}

}  // namespace

PageSquares::PageSquares(const Range& slice, std::size_t end)
    : begin_(slice.begin), end_(end), pages_((slice.size() + kPageFloats - 1) / kPageFloats) {}

void PageSquares::note(std::size_t begin, std::span<const float> values) {
  for (std::size_t at = 0; at < values.size(); at += kPageFloats) {
    const std::size_t counting = begin + at < end_ ? end_ - (begin + at) : 0;
    const std::size_t count = std::min({kPageFloats, values.size() - at, counting});
    pages_[(begin + at - begin_) / kPageFloats] = sum_of_squares(values.data() + at, count);
  }
}

}  // namespace troupe
