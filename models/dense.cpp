#include "models/dense.hpp"

#include "runtime/simd.hpp"

namespace troupe {
namespace {

constexpr std::size_t kLanes = 32;

}  // namespace

// Computes `kLanes` independent partial sums, and adds the partial sums in a fixed order at the end. Therefore the
// result is bitwise identical for every width of vector registers.
TROUPE_CLONES float dot(const float* a, const float* b, std::size_t count) {
  float sums[kLanes] = {};
  const std::size_t whole = count - count % kLanes;
  for (std::size_t i = 0; i < whole; i += kLanes) {
    for (std::size_t lane = 0; lane < kLanes; ++lane) sums[lane] += a[i + lane] * b[i + lane];
  }
  for (std::size_t i = whole; i < count; ++i) sums[i - whole] += a[i] * b[i];
  for (std::size_t width = kLanes / 2; width > 0; width /= 2) {
    for (std::size_t lane = 0; lane < width; ++lane) sums[lane] += sums[lane + width];
  }
  return sums[0];
}

TROUPE_CLONES void add_scaled(float factor, const float* __restrict from, std::size_t count, float* __restrict to) {
  for (std::size_t i = 0; i < count; ++i) to[i] += factor * from[i];
}

TROUPE_CLONES void scale(float factor, const float* __restrict from, std::size_t count, float* __restrict to) {
  for (std::size_t i = 0; i < count; ++i) to[i] = factor * from[i];
}

TROUPE_CLONES void subtract(const float* a, const float* b, std::size_t count, float* to) {
  for (std::size_t i = 0; i < count; ++i) to[i] = a[i] - b[i];
}

}  // namespace troupe
