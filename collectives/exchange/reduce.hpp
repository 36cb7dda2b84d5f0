#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "collectives/plan/range.hpp"
#include "collectives/plan/tree.hpp"
#include "collectives/state/slab_layout.hpp"

namespace troupe {

/// Is given the mean gradient of the floats [begin, begin + mean.size()), a few thousand at a time.
using ApplyChunk = std::function<void(std::size_t begin, std::span<const float> mean)>;

/// Divides floats by a number of samples. By a power of two a product with its inverse is the same float as the
/// quotient, and several times faster.
void divide(float* values, std::size_t count, std::int64_t divisor);

/// Seconds spent in each part of a reduction.
struct ReduceSeconds {
  double reduce = 0;
  double apply = 0;
};

/// Writes the sum of the floats of `chunk`, at most kTreeChunk, to `sum`.
using SumChunk = std::function<void(const Range& chunk, float* sum)>;

/// Calls `use` with one chunk of at most kTreeChunk floats after the other.
template <class Use>
void for_each_chunk(const Range& range, Use use) {
  for (std::size_t begin = range.begin; begin < range.end; begin += kTreeChunk)
    use(Range{begin, std::min(begin + kTreeChunk, range.end)});
}

/// Has a range summed, divides by the number of samples and hands the mean on, chunk by chunk, while it is in the
/// cache.
ReduceSeconds apply_mean(const SumChunk& sum, std::int64_t samples, const Range& range, const ApplyChunk& apply);

/// Adds the gradients of a range in the fixed tree, divides by the number of samples and hands the mean on chunk by
/// chunk, while it is in the cache: one pass over memory.
ReduceSeconds reduce_and_apply(const Gradients& gradients, std::int64_t samples, const Range& range,
                               const ApplyChunk& apply);

}  // namespace troupe
