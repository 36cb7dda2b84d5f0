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

/// A function that is called with the mean gradient of the floats [begin, begin + mean.size()), chunk by chunk. A chunk
/// has at most kTreeChunk floats.
using ApplyChunk = std::function<void(std::size_t begin, std::span<const float> mean)>;

/// Divides each of `count` floats by `divisor`, a number of samples. If `divisor` is a power of two, multiplies by its
/// inverse instead, which gives the same result several times faster.
void divide(float* values, std::size_t count, std::int64_t divisor);

/// The seconds that a reduction spent on adding and dividing (`reduce`) and in the callback (`apply`).
struct ReduceSeconds {
  double reduce = 0;
  double apply = 0;
};

/// A function that computes the sum of all gradients for the floats in `chunk`, at most kTreeChunk floats, and writes
/// this sum to `sum`.
using SumChunk = std::function<void(const Range& chunk, float* sum)>;

/// Calls `use` for consecutive chunks of the range, of at most kTreeChunk floats each.
template <class Use>
void for_each_chunk(const Range& range, Use use) {
  for (std::size_t begin = range.begin; begin < range.end; begin += kTreeChunk)
    use(Range{begin, std::min(begin + kTreeChunk, range.end)});
}

/// For each chunk of `range`, calls `sum`, divides the result by `samples`, and passes this mean to `apply`. Each chunk
/// stays in the cache between these calls.
ReduceSeconds apply_mean(const SumChunk& sum, std::int64_t samples, const Range& range, const ApplyChunk& apply);

/// For each chunk of `range`, adds all `gradients` in the fixed tree, divides the sum by `samples`, and passes this
/// mean to `apply`. Each chunk stays in the cache, so the gradients are read from memory once.
ReduceSeconds reduce_and_apply(const Gradients& gradients, std::int64_t samples, const Range& range,
                               const ApplyChunk& apply);

}  // namespace troupe
