#include "collectives/exchange/reduce.hpp"

#include <array>
#include <bit>

#include "runtime/clock.hpp"
#include "runtime/simd.hpp"

namespace troupe {
namespace {

TROUPE_CLONES void multiply(float* values, std::size_t count, float factor) {
  for (std::size_t i = 0; i < count; ++i) values[i] *= factor;
}

TROUPE_CLONES void divide_each(float* values, std::size_t count, float divisor) {
  for (std::size_t i = 0; i < count; ++i) values[i] /= divisor;
}

}  // namespace

void divide(float* values, std::size_t count, std::int64_t divisor) {
  if (divisor == 1) return;
  const auto as_float = static_cast<float>(divisor);
  if (divisor > 0 && std::has_single_bit(static_cast<std::uint64_t>(divisor)))
    return multiply(values, count, 1.0F / as_float);
  divide_each(values, count, as_float);
}

ReduceSeconds apply_mean(const SumChunk& sum, std::int64_t samples, const Range& range, const ApplyChunk& apply) {
  alignas(64) std::array<float, kTreeChunk> mean;
  ReduceSeconds spent;
  Stopwatch watch;
  for_each_chunk(range, [&](const Range& chunk) {
    sum(chunk, mean.data());
    divide(mean.data(), chunk.size(), samples);
    spent.reduce += watch.lap();
    apply(chunk.begin, {mean.data(), chunk.size()});
    spent.apply += watch.lap();
  });
  return spent;
}

ReduceSeconds reduce_and_apply(const Gradients& gradients, std::int64_t samples, const Range& range,
                               const ApplyChunk& apply) {
  std::vector<const float*> sources(gradients.size());
  const auto sum = [&](const Range& chunk, float* out) {
    for (std::size_t shard = 0; shard < sources.size(); ++shard) sources[shard] = gradients[shard].data() + chunk.begin;
    tree_sum(sources.data(), sources.size(), chunk.size(), out);
  };
  return apply_mean(sum, samples, range, apply);
}

}  // namespace troupe
