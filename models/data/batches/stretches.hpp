#pragma once

#include <cstdint>
#include <vector>

namespace troupe {

/// Sample numbers at equal distances: begin, begin + step, begin + 2 * step and so on, as long as they are below `end`.
struct Stretch {
  std::int64_t begin = 0;
  std::int64_t end = 0;
  std::int64_t step = 1;

  std::int64_t count() const { return begin < end ? (end - begin - 1) / step + 1 : 0; }
};

/// Returns the samples of shard `shard`, in order: one stretch for each part of the data from which the shard takes
/// samples (data without parts counts as one part). If the data has at least as many parts as shards, the shard has all
/// samples of the parts `shard`, `shard + num_shards` and so on. Otherwise the shard has the samples with the numbers
/// `shard`, `shard + num_shards` and so on.
/// @param num_samples the number of samples of the data
/// @param parts the number of the first sample of each part (DataInfo::parts); empty: the data has no parts
std::vector<Stretch> shard_stretches(std::int64_t num_samples, const std::vector<std::int64_t>& parts, int shard,
                                     int num_shards);

/// Returns the number of samples in all stretches together.
std::int64_t count_of(const std::vector<Stretch>& stretches);

/// Returns the number of samples of the largest of the `num_shards` shards, as `shard_stretches` divides the samples.
std::int64_t largest_shard(std::int64_t num_samples, const std::vector<std::int64_t>& parts, int num_shards);

}  // namespace troupe
