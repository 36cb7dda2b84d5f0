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

/// A function that is called for one chunk (at most kTreeChunk floats) after the other. `mean` is the mean gradient of
/// the floats [begin, begin + mean.size()) of the flat vector.
using ApplyChunk = std::function<void(std::size_t begin, std::span<const float> mean)>;

/// Divides each of the `count` floats at `values` by `divisor`, a number of samples. If `divisor` is a power of two,
/// multiplies by the inverse of `divisor` instead, which is several times faster and gives the same result.
void divide(float* values, std::size_t count, std::int64_t divisor);

/// The time in seconds that a reduction spent on adding and dividing (`reduce`), and in the callback ApplyChunk
/// (`apply`).
struct ReduceSeconds {
  double reduce = 0;
  double apply = 0;
};

/// A function that computes the sum of all gradients for the floats `chunk` of the flat vector, and writes this sum to
/// `sum`. `chunk` has at most kTreeChunk floats.
using SumChunk = std::function<void(const Range& chunk, float* sum)>;

/// Divides `range` into consecutive chunks of at most kTreeChunk floats, and calls `use` with each chunk.
template <class Use>
void for_each_chunk(const Range& range, Use use) {
  for (std::size_t begin = range.begin; begin < range.end; begin += kTreeChunk)
    use(Range{begin, std::min(begin + kTreeChunk, range.end)});
}

/// For each chunk of `range`: calls `sum`, divides the resulting sum by `samples`, and calls `apply` with this mean. A
/// chunk stays in the cache between these operations. Returns the time that the operations took.
ReduceSeconds apply_mean(const SumChunk& sum, std::int64_t samples, const Range& range, const ApplyChunk& apply);

/// For each chunk of `range`: adds all `gradients` in the fixed tree, divides the sum by `samples`, and calls `apply`
/// with this mean. A chunk stays in the cache between these operations, so the gradients are read from memory once.
/// Returns the time that the operations took.
ReduceSeconds reduce_and_apply(const Gradients& gradients, std::int64_t samples, const Range& range,
                               const ApplyChunk& apply);

}  // namespace troupe
