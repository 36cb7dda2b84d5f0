#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "collectives/plan/plan.hpp"
#include "runtime/store/object_id.hpp"

namespace troupe {

/// The gradients of all shards, in order of shard. Each is a whole flat vector, or empty if it is in another node's
/// store.
using Gradients = std::vector<std::span<const float>>;

/// Returns `gradients`, with those of some ranges of shards replaced by `others`.
Gradients replaced(Gradients gradients, const std::vector<Range>& shards, const Gradients& others);

/// A shard can have two gradients, with the same values: one from its worker, and one from a backup worker that
/// computes it as well.
enum class GradientOf : std::uint8_t { worker, backup };

/// The vector of the state that holds weights and statistics. The optimizer's vectors follow.
inline constexpr int kWeightsVector = 0;

/// The vectors of an algorithm's state, and the gradients that it needs. Vectors are numbered in the order of these
/// members; vectors of shards are numbered shard by shard.
struct StateShape {
  std::int32_t vectors = 1;    ///< vectors with several buffers: the weights, and other vectors with the same slices
  std::int32_t singles = 0;    ///< vectors with one buffer, also in slices
  std::int32_t per_shard = 0;  ///< vectors of each shard, with several buffers; the worker of the shard holds them
  std::int32_t parts = 1;      ///< portions of each shard; each has its own gradient
  std::int32_t spares = -1;    ///< -1: the worker of a shard writes its gradient. Otherwise gradients are dealt out:
                               ///< any worker of the store writes any gradient, and there are this many more slabs than
                               ///< portions

  bool deals() const { return spares >= 0; }
  int single(int number) const { return vectors + number; }
  int of_shard(int shard, int number) const { return vectors + singles + shard * per_shard + number; }
  bool is_single(int vector) const { return vector >= vectors && vector < vectors + singles; }
  /// Returns the shard of a vector; -1 for vectors that are divided into slices.
  int shard_of(int vector) const {
    return per_shard == 0 || vector < vectors + singles ? -1 : (vector - vectors - singles) / per_shard;
  }
  /// @throws Error protocol if a number is out of range
  void check() const;
  bool operator==(const StateShape&) const = default;
};

/// Returns the plan request for a generation with this state. Its shards are the portions. If gradients are dealt out,
/// slices are cut between the fixed pieces.
PlanRequest plan_for(PlanRequest request, const StateShape& state);

/// The contents of the slabs of one generation. A new generation gets new slabs.
struct SlabLayout : StateShape {
  std::uint64_t run = 0;
  std::uint64_t generation = 0;
  std::size_t size = 0;          ///< number of floats of a flat vector
  std::size_t learned_size = 0;  ///< number of floats with a gradient; statistics follow them
  int buffers = 2;               ///< buffers of vectors that have several buffers
  int num_shards = 1;            ///< number of gradients: shards, or portions of shards
  Range shards = {0, 1};         ///< the shards whose gradients are in this store
  bool in_part = false;          ///< if true, this store holds only the range `own` of the vectors with one buffer,
  Range own = {};                ///< which its workers own
  bool mean_gradient = false;    ///< the driver adds the gradients and shares their mean
  bool backups = false;          ///< each shard has both gradients, and any worker may write any slice
  bool devices_copy = false;     ///< map weights for writing, although workers only read them: on most machines a
                                 ///< device can copy by DMA only from writable mappings
  Range served = {0, 0};         ///< ranks of the workers to which parameter servers serve weights in this store

  ObjectId id(ObjectKind kind, int number, int buffer = 0) const;
  ObjectId vector_id(int vector, int buffer) const { return id(ObjectKind::vector, vector, buffer); }
  /// Returns the id of a gradient's slab. The slab may be from an earlier generation.
  ObjectId gradient_id(GradientOf whose, std::size_t shard, std::uint64_t made_for) const;
  /// Returns the size of one flat vector, in whole pages.
  std::size_t bytes() const;
  /// Returns the size of this store's vectors with several buffers, if they have `in_buffers` buffers.
  std::size_t versioned_bytes(int in_buffers) const;
  std::size_t state_bytes() const {
    return versioned_bytes(buffers) + bytes_of(vectors) * static_cast<std::size_t>(singles);
  }
  /// Returns the range of a vector that this store holds. `bytes_of` returns its size in bytes, in whole pages.
  Range range_of(int vector) const { return is_single(vector) && in_part ? own : Range{0, size}; }
  std::size_t bytes_of(int vector) const;
  int num_vectors() const { return of_shard(num_data_shards(), 0); }
  /// Returns the number of shards of the data, in all stores.
  int num_data_shards() const { return num_shards / parts; }
  int buffers_of(int vector) const { return is_single(vector) ? 1 : buffers; }
  /// Returns the shards of the data whose gradients are in this store.
  Range data_shards() const {
    return {shards.begin / static_cast<std::size_t>(parts), shards.end / static_cast<std::size_t>(parts)};
  }
  /// Returns true if this store holds the vector.
  /// @throws Error protocol if there is no such vector
  bool is_here(int vector) const;
  /// Returns a slab for gradients that are dealt out. The store's portions come first, then the spares.
  ObjectId dealt_id(int slab) const { return id(ObjectKind::gradient, slab); }
  int dealt_slabs() const { return deals() ? static_cast<int>(shards.size()) + spares : 0; }
};

/// Returns, by shard, the generations for which gradients' slabs were created, for both kinds of gradients. A worker
/// creates its own and, as a backup, those of the worker before it.
/// @param by_lane the generation of each lane's worker
/// @param devices number of lanes per worker
std::vector<std::vector<std::uint64_t>> gradients_made_for(const Topology& topology, std::vector<std::uint64_t> by_lane,
                                                           std::size_t devices);

/// Returns the id of a transfer's object, which is the same on driver, nodes and workers.
ObjectId transfer_id(std::uint64_t run, std::uint64_t number);

}  // namespace troupe
