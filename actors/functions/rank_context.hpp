#pragma once

#include "troupe/model.hpp"

namespace troupe {

/// Returns the context of a rank's replica. It computes the rank's shard; there are as many shards as ranks.
inline ReplicaContext context_of_rank(int rank, int size, std::uint64_t seed) {
  ReplicaContext context;
  context.worker = rank;
  context.shards = {rank};
  context.num_shards = size;
  context.seed = seed;
  return context;
}

}  // namespace troupe
