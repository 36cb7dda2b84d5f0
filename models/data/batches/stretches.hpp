#pragma once

#include <cstdint>
#include <vector>

namespace troupe {

/// Numbers of samples at equal distances: begin, begin + step, begin + 2 * step and so on; all are below `end`.
struct Stretch {
  std::int64_t begin = 0;
  std::int64_t end = 0;
  std::int64_t step = 1;

  std::int64_t count() const { return begin < end ? (end - begin - 1) / step + 1 : 0; }
};

/// Returns the samples of a shard, in order. If the data has no parts, these are every num_shards-th sample. If there
/// are at least as many parts as shards, these are every num_shards-th part with all its samples, one stretch for each
/// part. If there are fewer parts, these are every num_shards-th sample of each part.
/// @param parts DataInfo::parts: the first sample of each part
std::vector<Stretch> shard_stretches(std::int64_t num_samples, const std::vector<std::int64_t>& parts, int shard,
                                     int num_shards);

/// Returns the number of samples in all stretches.
std::int64_t count_of(const std::vector<Stretch>& stretches);

/// Returns the number of samples of the largest shard.
std::int64_t largest_shard(std::int64_t num_samples, const std::vector<std::int64_t>& parts, int num_shards);

}  // namespace troupe
