#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "collectives/plan/topology.hpp"
#include "runtime/store/object_id.hpp"

namespace troupe {

/// Gradients of all shards, in order of shard; each holds the whole flat vector, or is empty where it lies in another
/// node's store.
using Gradients = std::vector<std::span<const float>>;

/// With those of some shards, which come in ranges, taken from others.
Gradients replaced(Gradients gradients, const std::vector<Range>& shards, const Gradients& others);

/// Of a shard there may be two gradients, which are the same when both are there: its worker's, and that of another
/// worker that computes it in its place.
enum class GradientOf : std::uint8_t { worker, backup };

/// The vector of the state that holds weights and statistics; the optimizer's follow.
inline constexpr int kWeightsVector = 0;

/// What the slabs of one generation hold. A new generation gets new slabs.
struct SlabLayout {
  std::uint64_t run = 0;
  std::uint64_t generation = 0;
  std::size_t size = 0;          ///< floats of a flat vector
  std::size_t learned_size = 0;  ///< of which have a gradient; behind them lie statistics
  int vectors = 1;               ///< of the state: the weights, and the optimizer's
  int buffers = 2;               ///< of each of them
  int num_shards = 1;
  Range shards = {0, 1};       ///< whose gradients lie in this store
  bool mean_gradient = false;  ///< the driver adds the gradients and shares their mean
  bool backups = false;        ///< of each shard there are both gradients, and any worker may write any slice
  Range served = {0, 0};       ///< ranks of workers to whom parameter servers serve weights in this store

  ObjectId id(ObjectKind kind, int number, int buffer = 0) const;
  ObjectId vector_id(int vector, int buffer) const { return id(ObjectKind::vector, vector, buffer); }
  /// Gradients' slabs may be those of an earlier generation.
  ObjectId gradient_id(GradientOf whose, std::size_t shard, std::uint64_t made_for) const;
  /// Of one flat vector, in whole pages.
  std::size_t bytes() const;
  /// Of all vectors in so many buffers.
  std::size_t state_bytes(int in_buffers) const;
};

/// The generations that gradients' slabs were made for, by shard, of both kinds: a worker makes its own and, as a
/// backup, those of the worker before it.
/// @param by_lane those of each lane's worker. @param devices lanes of a worker
std::vector<std::vector<std::uint64_t>> gradients_made_for(const Topology& topology, std::vector<std::uint64_t> by_lane,
                                                           std::size_t devices);

/// The object of a transfer, as driver, nodes and workers name it.
ObjectId transfer_id(std::uint64_t run, std::uint64_t number);

}  // namespace troupe
