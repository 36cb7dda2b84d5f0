#include "collectives/group/elements.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <vector>

#include "collectives/exchange/reduce.hpp"
#include "collectives/plan/tree.hpp"
#include "runtime/simd.hpp"

namespace troupe {
namespace {

template <class T>
constexpr std::size_t kAtOnce = kTreeChunk * sizeof(float) / sizeof(T);

// Whole numbers wrap round.
TROUPE_CLONES void add(double* __restrict sum, const double* __restrict values, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) sum[i] += values[i];
}
TROUPE_CLONES void add(std::int64_t* __restrict sum, const std::int64_t* __restrict values, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i)
    sum[i] = static_cast<std::int64_t>(static_cast<std::uint64_t>(sum[i]) + static_cast<std::uint64_t>(values[i]));
}

/// As C's fmax but for NaN, which stays: what is no number is to be seen.
template <class T>
void take_larger(T* __restrict largest, const T* __restrict values, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) {
    const T value = values[i];
    largest[i] = largest[i] < value || value != value ? value : largest[i];
  }
}

template <class T>
void tree(const T* const* sources, std::size_t num_sources, std::size_t count, T* out) {
  if (num_sources == 1) {
    std::memcpy(out, sources[0], count * sizeof(T));
    return;
  }
  const std::size_t left = left_leaves(num_sources);
  alignas(64) std::array<T, kAtOnce<T>> right;
  tree(sources, left, count, out);
  tree(sources + left, num_sources - left, count, right.data());
  add(out, right.data(), count);
}
void tree(const float* const* sources, std::size_t num_sources, std::size_t count, float* out) {
  tree_sum(sources, num_sources, count, out);
}

void divide_by(float* values, std::size_t count, std::size_t divisor) {
  divide(values, count, static_cast<std::int64_t>(divisor));
}
void divide_by(double* values, std::size_t count, std::size_t divisor) {
  for (std::size_t i = 0; i < count; ++i) values[i] /= static_cast<double>(divisor);
}
void divide_by(std::int64_t* /*values*/, std::size_t /*count*/, std::size_t /*divisor*/) {}

template <class T>
void reduce_chunk(ReduceOp op, const T* const* sources, std::size_t num_sources, std::size_t count, T* made) {
  if (op == ReduceOp::max) {
    std::memcpy(made, sources[0], count * sizeof(T));
    for (std::size_t i = 1; i < num_sources; ++i) take_larger(made, sources[i], count);
    return;
  }
  tree(sources, num_sources, count, made);
  if (op == ReduceOp::mean) divide_by(made, count, num_sources);
}

/// What is made of a chunk lies in the cache until all of its sources are read, of which the place it goes to may be
/// one.
template <class T>
void reduce_all(ReduceOp op, const std::byte* const* sources, std::size_t num_sources, std::size_t count,
                std::byte* out) {
  constexpr std::size_t kStackSources = 64;
  std::array<const T*, kStackSources> few;
  std::vector<const T*> many(num_sources > kStackSources ? num_sources : 0);
  const T** const at = many.empty() ? few.data() : many.data();
  alignas(64) std::array<T, kAtOnce<T>> made;
  for (std::size_t begin = 0; begin < count; begin += kAtOnce<T>) {
    const std::size_t elements = std::min(kAtOnce<T>, count - begin);
    for (std::size_t i = 0; i < num_sources; ++i) at[i] = reinterpret_cast<const T*>(sources[i]) + begin;
    reduce_chunk(op, at, num_sources, elements, made.data());
    std::memcpy(out + begin * sizeof(T), made.data(), elements * sizeof(T));
  }
}

}  // namespace

void reduce_elements(ElementType type, ReduceOp op, const std::byte* const* sources, std::size_t num_sources,
                     std::size_t count, std::byte* out) {
  switch (type) {
    case ElementType::f32:
      return reduce_all<float>(op, sources, num_sources, count, out);
    case ElementType::f64:
      return reduce_all<double>(op, sources, num_sources, count, out);
    case ElementType::i64:
      return reduce_all<std::int64_t>(op, sources, num_sources, count, out);
  }
}

}  // namespace troupe
