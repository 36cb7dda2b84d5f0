#include "collectives/tree.hpp"

#include <algorithm>
#include <array>
#include <bit>

#include "runtime/simd.hpp"

namespace troupe {
namespace {

double sum_range(const double* values, std::size_t count) {
  if (count == 1) return values[0];
  const std::size_t left = left_leaves(count);
  return sum_range(values, left) + sum_range(values + left, count - left);
}

// Up to four leaves are added in one pass over memory, in the tree's order.
TROUPE_CLONES void add2(const float* a, const float* b, std::size_t count, float* __restrict out) {
  for (std::size_t i = 0; i < count; ++i) out[i] = a[i] + b[i];
}

TROUPE_CLONES void add3(const float* a, const float* b, const float* c, std::size_t count, float* __restrict out) {
  for (std::size_t i = 0; i < count; ++i) out[i] = (a[i] + b[i]) + c[i];
}

TROUPE_CLONES void add4(const float* a, const float* b, const float* c, const float* d, std::size_t count,
                        float* __restrict out) {
  for (std::size_t i = 0; i < count; ++i) out[i] = (a[i] + b[i]) + (c[i] + d[i]);
}

TROUPE_CLONES void add_to(const float* a, std::size_t count, float* __restrict out) {
  for (std::size_t i = 0; i < count; ++i) out[i] += a[i];
}

}  // namespace

std::size_t left_leaves(std::size_t count) { return std::bit_ceil(count) / 2; }

double tree_sum(const std::vector<double>& values) {
  return values.empty() ? 0 : sum_range(values.data(), values.size());
}

void tree_sum(const float* const* sources, std::size_t num_sources, std::size_t count, float* out) {
  switch (num_sources) {
    case 1:
      std::copy_n(sources[0], count, out);
      return;
    case 2:
      add2(sources[0], sources[1], count, out);
      return;
    case 3:
      add3(sources[0], sources[1], sources[2], count, out);
      return;
    case 4:
      add4(sources[0], sources[1], sources[2], sources[3], count, out);
      return;
    default:
      break;
  }
  const std::size_t left = left_leaves(num_sources);
  alignas(64) std::array<float, kTreeChunk> right;
  tree_sum(sources, left, count, out);
  tree_sum(sources + left, num_sources - left, count, right.data());
  add_to(right.data(), count, out);
}

}  // namespace troupe
