#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "collectives/plan/range.hpp"
#include "runtime/store/object_id.hpp"

namespace troupe {

/// Gradients of all shards, in order of shard; each holds the whole flat vector, or is empty where it lies in another
/// node's store.
using Gradients = std::vector<std::span<const float>>;

/// The vector of the state that holds weights and statistics; the optimizer's follow.
inline constexpr int kWeightsVector = 0;

/// What the slabs of one generation hold. A new generation gets new slabs.
struct SlabLayout {
  std::uint64_t run = 0;
  std::uint64_t generation = 0;
  std::size_t size = 0;  ///< floats of a flat vector
  int vectors = 1;       ///< of the state: the weights, and the optimizer's
  int buffers = 2;       ///< of each of them
  int num_shards = 1;
  Range shards = {0, 1};       ///< whose gradients lie in this store
  bool mean_gradient = false;  ///< the driver adds the gradients and shares their mean

  ObjectId id(ObjectKind kind, int number, int buffer = 0) const;
  ObjectId vector_id(int vector, int buffer) const { return id(ObjectKind::vector, vector, buffer); }
  /// Gradients' slabs may be those of an earlier generation.
  ObjectId gradient_id(int shard, std::uint64_t made_for) const;
  /// Of one flat vector, in whole pages.
  std::size_t bytes() const;
  /// Of all vectors in so many buffers.
  std::size_t state_bytes(int in_buffers) const;
};

/// The object of a transfer, as driver, nodes and workers name it.
ObjectId transfer_id(std::uint64_t run, std::uint64_t number);

}  // namespace troupe
