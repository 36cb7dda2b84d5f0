#include "models/data/batches/stretches.hpp"

#include <algorithm>

namespace troupe {

std::vector<Stretch> shard_stretches(std::int64_t num_samples, const std::vector<std::int64_t>& parts, int shard,
                                     int num_shards) {
  if (parts.empty()) return {{shard, num_samples, num_shards}};
  const auto end_of = [&](std::size_t part) { return part + 1 < parts.size() ? parts[part + 1] : num_samples; };
  const auto count = static_cast<std::size_t>(num_shards);
  const auto own = static_cast<std::size_t>(shard);
  std::vector<Stretch> stretches;
  if (parts.size() >= count) {
    for (std::size_t part = own; part < parts.size(); part += count)
      stretches.push_back({parts[part], end_of(part), 1});
  } else {
    for (std::size_t part = 0; part < parts.size(); ++part) {
      const std::int64_t ahead = (shard - parts[part] % num_shards + num_shards) % num_shards;
      stretches.push_back({parts[part] + ahead, end_of(part), num_shards});
    }
  }
  return stretches;
}

std::int64_t count_of(const std::vector<Stretch>& stretches) {
  std::int64_t count = 0;
  for (const Stretch& stretch : stretches) count += stretch.count();
  return count;
}

std::int64_t largest_shard(std::int64_t num_samples, const std::vector<std::int64_t>& parts, int num_shards) {
  const bool whole_parts = !parts.empty() && parts.size() >= static_cast<std::size_t>(num_shards);
  std::int64_t largest = 0;  // unless shards have whole parts, no shard has more samples than shard 0
  for (int shard = 0; shard < (whole_parts ? num_shards : 1); ++shard)
    largest = std::max(largest, count_of(shard_stretches(num_samples, whole_parts ? parts : std::vector<std::int64_t>(),
                                                         shard, num_shards)));
  return largest;
}

}  // namespace troupe
