#pragma once

#include "troupe/model.hpp"

namespace troupe {

/// Returns the context for the model of rank `rank` in a user's function. The data has as many shards as there are
/// ranks, and the model of rank r computes shard r.
/// @param size the number of ranks
inline ReplicaContext context_of_rank(int rank, int size, std::uint64_t seed) {
  ReplicaContext context;
  context.worker = rank;
  context.shards = {rank};
  context.num_shards = size;
  context.seed = seed;
  return context;
}

}  // namespace troupe
