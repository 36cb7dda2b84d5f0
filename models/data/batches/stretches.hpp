#pragma once

#include <cstdint>
#include <vector>

namespace troupe {

/// Samples at equal distances: begin, begin + step, ... before end.
struct Stretch {
  std::int64_t begin = 0;
  std::int64_t end = 0;
  std::int64_t step = 1;

  std::int64_t count() const { return begin < end ? (end - begin - 1) / step + 1 : 0; }
};

/// Returns the samples of a shard, in order. Without parts: every num_shards-th sample. With at least as many parts as
/// shards: every num_shards-th part, one stretch per part. With fewer parts: every num_shards-th sample of each part.
/// @param parts see DataInfo
std::vector<Stretch> shard_stretches(std::int64_t num_samples, const std::vector<std::int64_t>& parts, int shard,
                                     int num_shards);

std::int64_t count_of(const std::vector<Stretch>& stretches);

/// Returns the number of samples of the largest shard.
std::int64_t largest_shard(std::int64_t num_samples, const std::vector<std::int64_t>& parts, int num_shards);

}  // namespace troupe
