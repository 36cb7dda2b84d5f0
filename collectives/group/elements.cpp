#include "collectives/group/elements.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <vector>

#include "collectives/exchange/reduce.hpp"
#include "collectives/plan/tree.hpp"
#include "runtime/simd.hpp"

namespace troupe {
namespace {

template <class T>
constexpr std::size_t kAtOnce = kTreeChunk * sizeof(float) / sizeof(T);

// Adds `count` values to `sum`, element by element. Integer addition wraps around on overflow.
TROUPE_CLONES void add(double* __restrict sum, const double* __restrict values, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) sum[i] += values[i];
}
TROUPE_CLONES void add(std::int64_t* __restrict sum, const std::int64_t* __restrict values, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i)
    sum[i] = static_cast<std::int64_t>(static_cast<std::uint64_t>(sum[i]) + static_cast<std::uint64_t>(values[i]));
}

template <class T>
bool is_nan(T value) {
  if constexpr (std::is_floating_point_v<T>) return std::isnan(value);
  return false;
}

/// Replaces each element of `largest` by the maximum of this element and the corresponding value. The maximum of NaN
/// and a number is NaN (unlike with C's fmax), so that the caller notices NaN.
template <class T>
void take_larger(T* __restrict largest, const T* __restrict values, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) {
    const T value = values[i];
    largest[i] = largest[i] < value || is_nan(value) ? value : largest[i];
  }
}

void add(float* sum, const float* values, std::size_t count) { add_to(sum, values, count); }

template <class T>
void tree(std::span<const Range> ranks, const T* const* sources, std::size_t count, T* out) {
  if (ranks.size() == 1) {
    std::memcpy(out, sources[0], count * sizeof(T));
    return;
  }
  const Range all{ranks.front().begin, ranks.back().end};
  if constexpr (std::is_same_v<T, float>)  // `tree_sum` computes the same result faster
    if (ranks.size() == all.size()) return tree_sum(sources, ranks.size(), count, out);
  const std::size_t middle = all.begin + left_leaves(all.size());
  std::size_t left = 0;
  while (ranks[left].begin < middle) ++left;
  alignas(64) std::array<T, kAtOnce<T>> right;
  tree(ranks.first(left), sources, count, out);
  tree(ranks.subspan(left), sources + left, count, right.data());
  add(out, right.data(), count);
}

void divide_by(float* values, std::size_t count, std::size_t divisor) {
  divide(values, count, static_cast<std::int64_t>(divisor));
}
void divide_by(double* values, std::size_t count, std::size_t divisor) {
  for (std::size_t i = 0; i < count; ++i) values[i] /= static_cast<double>(divisor);
}
void divide_by(std::int64_t* /*values*/, std::size_t /*count*/, std::size_t /*divisor*/) {}

template <class T>
void reduce_chunk(ReduceOp op, std::span<const Range> ranks, const T* const* sources, std::size_t count, T* made) {
  if (op == ReduceOp::max) {
    std::memcpy(made, sources[0], count * sizeof(T));
    for (std::size_t i = 1; i < ranks.size(); ++i) take_larger(made, sources[i], count);
    return;
  }
  tree(ranks, sources, count, made);
  if (op == ReduceOp::mean) divide_by(made, count, ranks.back().end - ranks.front().begin);
}

/// Implements `reduce_elements` for the element type T. Computes kAtOnce elements at a time in the buffer `made`, and
/// then copies them to `out`. The buffer is necessary, because `out` may be one of the sources; it stays in the cache.
template <class T>
void reduce_all(ReduceOp op, std::span<const Range> ranks, const std::byte* const* sources, std::size_t count,
                std::byte* out) {
  constexpr std::size_t kStackSources = 64;
  const std::size_t num_sources = ranks.size();
  std::array<const T*, kStackSources> few;
  std::vector<const T*> many(num_sources > kStackSources ? num_sources : 0);
  const T** const at = many.empty() ? few.data() : many.data();
  alignas(64) std::array<T, kAtOnce<T>> made;
  for (std::size_t begin = 0; begin < count; begin += kAtOnce<T>) {
    const std::size_t elements = std::min(kAtOnce<T>, count - begin);
    for (std::size_t i = 0; i < num_sources; ++i) at[i] = reinterpret_cast<const T*>(sources[i]) + begin;
    reduce_chunk(op, ranks, at, elements, made.data());
    std::memcpy(out + begin * sizeof(T), made.data(), elements * sizeof(T));
  }
}

}  // namespace

std::vector<Range> each_rank(int size) {
  std::vector<Range> ranks;
  for (std::size_t rank = 0; rank < static_cast<std::size_t>(size); ++rank) ranks.push_back({rank, rank + 1});
  return ranks;
}

void reduce_elements(ElementType type, ReduceOp op, std::span<const Range> ranks, const std::byte* const* sources,
                     std::size_t count, std::byte* out) {
  switch (type) {
    case ElementType::f32:
      return reduce_all<float>(op, ranks, sources, count, out);
    case ElementType::f64:
      return reduce_all<double>(op, ranks, sources, count, out);
    case ElementType::i64:
      return reduce_all<std::int64_t>(op, ranks, sources, count, out);
  }
}

}  // namespace troupe
