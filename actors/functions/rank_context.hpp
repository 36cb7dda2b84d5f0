#pragma once

#include "troupe/model.hpp"

namespace troupe {

/// Of a rank's replica, which works on the rank's shard of as many shards as there are ranks.
inline ReplicaContext context_of_rank(int rank, int size, std::uint64_t seed) {
  ReplicaContext context;
  context.worker = rank;
  context.shards = {rank};
  context.num_shards = size;
  context.seed = seed;
  return context;
}

}  // namespace troupe
