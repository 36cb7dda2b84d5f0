#include "collectives/plan/tree.hpp"

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

// The next three functions add two, three or four leaves in the order of the fixed tree. Each function reads its leaves
// from memory once, and writes only the sum.
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

TROUPE_CLONES void add_in_place(float* __restrict sum, const float* __restrict values, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) sum[i] += values[i];
}

void append_subtrees(const Range& subtree, const Range& wanted, std::vector<Range>& found) {
  if (subtree.end <= wanted.begin || wanted.end <= subtree.begin) return;
  if (wanted.begin <= subtree.begin && subtree.end <= wanted.end) {
    found.push_back(subtree);
    return;
  }
  const std::size_t middle = subtree.begin + left_leaves(subtree.size());
  append_subtrees({subtree.begin, middle}, wanted, found);
  append_subtrees({middle, subtree.end}, wanted, found);
}

}  // namespace

std::size_t left_leaves(std::size_t count) { return std::bit_ceil(count) / 2; }

double tree_sum(std::span<const double> values) { return values.empty() ? 0 : sum_range(values.data(), values.size()); }

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
  add_in_place(out, right.data(), count);
}

void add_to(float* sum, const float* values, std::size_t count) { add_in_place(sum, values, count); }

std::vector<Range> complete_subtrees(std::size_t num_leaves, std::size_t begin, std::size_t end) {
  std::vector<Range> found;
  if (begin < end) append_subtrees({0, num_leaves}, {begin, end}, found);
  return found;
}

}  // namespace troupe
