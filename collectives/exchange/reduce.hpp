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

/// Receives the mean gradient of the floats [begin, begin + mean.size()), a few thousand at a time.
using ApplyChunk = std::function<void(std::size_t begin, std::span<const float> mean)>;

/// Divides floats by a number of samples. If `divisor` is a power of two, multiplies by its inverse instead: the result
/// is the same and several times faster.
void divide(float* values, std::size_t count, std::int64_t divisor);

/// Seconds spent in each part of a reduction.
struct ReduceSeconds {
  double reduce = 0;
  double apply = 0;
};

/// Writes the sum of the floats of `chunk`, at most kTreeChunk, to `sum`.
using SumChunk = std::function<void(const Range& chunk, float* sum)>;

/// Calls `use` for consecutive chunks of the range, of at most kTreeChunk floats each.
template <class Use>
void for_each_chunk(const Range& range, Use use) {
  for (std::size_t begin = range.begin; begin < range.end; begin += kTreeChunk)
    use(Range{begin, std::min(begin + kTreeChunk, range.end)});
}

/// Computes the sum of a range, divides it by the number of samples and passes the mean to `apply`. Works chunk by
/// chunk, so that each chunk stays in the cache.
ReduceSeconds apply_mean(const SumChunk& sum, std::int64_t samples, const Range& range, const ApplyChunk& apply);

/// Adds the gradients of a range in the fixed tree, divides by the number of samples and passes the mean to `apply`.
/// Works chunk by chunk, so that each chunk stays in the cache: one pass over memory.
ReduceSeconds reduce_and_apply(const Gradients& gradients, std::int64_t samples, const Range& range,
                               const ApplyChunk& apply);

}  // namespace troupe
