#include "collectives/plan.hpp"

#include <algorithm>

#include "runtime/memory.hpp"
#include "troupe/error.hpp"

namespace troupe {

std::vector<Range> page_slices(std::size_t size, std::size_t parts) {
  const std::size_t pages = (size + kPageFloats - 1) / kPageFloats;
  std::vector<Range> slices;
  std::size_t page = 0;
  for (std::size_t part = 0; part < parts; ++part) {
    const std::size_t begin = page;
    page += pages / parts + (part < pages % parts ? 1 : 0);
    slices.push_back({std::min(begin * kPageFloats, size), std::min(page * kPageFloats, size)});
  }
  return slices;
}

Range device_part(const Range& slice, std::size_t device, std::size_t devices) {
  const Range part = page_slices(slice.size(), devices)[device];
  return {slice.begin + part.begin, slice.begin + part.end};
}

Plan make_plan(const std::string& strategy, std::size_t size, std::size_t num_workers) {
  if (strategy != "sharded" && strategy != "driver")
    throw Error(ErrorCode::invalid_argument,
                "there is no strategy '" + strategy + "'; the strategies are 'sharded' and 'driver'");
  return {strategy == "driver", page_slices(size, num_workers)};
}

std::vector<int> shards_of(int replica, int num_replicas, int num_shards) {
  std::vector<int> shards;
  for (int shard = replica * num_shards / num_replicas; shard < (replica + 1) * num_shards / num_replicas; ++shard)
    shards.push_back(shard);
  return shards;
}

}  // namespace troupe
