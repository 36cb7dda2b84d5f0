#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "collectives/plan/plan.hpp"
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

/// Which vectors an algorithm's state has, and what gradients it needs. Vectors are numbered in the order in which they
/// are named here, those of shards shard by shard.
struct StateShape {
  std::int32_t vectors = 1;    ///< in several buffers: the weights, and others of which owners have slices likewise
  std::int32_t singles = 0;    ///< in one buffer, in slices
  std::int32_t per_shard = 0;  ///< of each shard, in several buffers: whoever works on the shard has them
  std::int32_t parts = 1;      ///< portions of each shard, which have a gradient each
  std::int32_t spares = -1;    ///< from 0 on: any worker of the store writes any gradient, and there are so many more
                               ///< slabs than portions; else whoever has the shard writes its gradient

  bool deals() const { return spares >= 0; }
  int single(int number) const { return vectors + number; }
  int of_shard(int shard, int number) const { return vectors + singles + shard * per_shard + number; }
  bool is_single(int vector) const { return vector >= vectors && vector < vectors + singles; }
  /// -1 where owners have slices of it.
  int shard_of(int vector) const {
    return per_shard == 0 || vector < vectors + singles ? -1 : (vector - vectors - singles) / per_shard;
  }
  /// @throws Error protocol for numbers that cannot be
  void check() const;
  bool operator==(const StateShape&) const = default;
};

/// The plan of a generation with such a state: who deals gradients has as many as there are portions, and slices
/// between fixed pieces.
PlanRequest plan_for(PlanRequest request, const StateShape& state);

/// What the slabs of one generation hold. A new generation gets new slabs.
struct SlabLayout : StateShape {
  std::uint64_t run = 0;
  std::uint64_t generation = 0;
  std::size_t size = 0;          ///< floats of a flat vector
  std::size_t learned_size = 0;  ///< of which have a gradient; behind them lie statistics
  int buffers = 2;               ///< of vectors that have several
  int num_shards = 1;            ///< or portions, that have gradients
  Range shards = {0, 1};         ///< whose gradients lie in this store
  bool in_part = false;          ///< of vectors in one buffer this store has a part, which its workers own,
  Range own = {};                ///< namely this one
  bool mean_gradient = false;    ///< the driver adds the gradients and shares their mean
  bool backups = false;          ///< of each shard there are both gradients, and any worker may write any slice
  bool devices_copy = false;     ///< weights are mapped for writing, too, though workers only read them: most machines
                                 ///< let a device copy by itself from such memory alone
  Range served = {0, 0};         ///< ranks of workers to whom parameter servers serve weights in this store

  ObjectId id(ObjectKind kind, int number, int buffer = 0) const;
  ObjectId vector_id(int vector, int buffer) const { return id(ObjectKind::vector, vector, buffer); }
  /// Gradients' slabs may be those of an earlier generation.
  ObjectId gradient_id(GradientOf whose, std::size_t shard, std::uint64_t made_for) const;
  /// Of one flat vector, in whole pages.
  std::size_t bytes() const;
  /// Of this store, of what has several buffers in so many.
  std::size_t versioned_bytes(int in_buffers) const;
  std::size_t state_bytes() const {
    return versioned_bytes(buffers) + bytes_of(vectors) * static_cast<std::size_t>(singles);
  }
  /// Of a vector, what lies in this store: a range of the flat vectors, and how many bytes that takes.
  Range range_of(int vector) const { return is_single(vector) && in_part ? own : Range{0, size}; }
  std::size_t bytes_of(int vector) const;
  int num_vectors() const { return of_shard(num_data_shards(), 0); }
  /// Of the data, of all stores.
  int num_data_shards() const { return num_shards / parts; }
  int buffers_of(int vector) const { return is_single(vector) ? 1 : buffers; }
  /// Shards of the data whose gradients lie in this store.
  Range data_shards() const {
    return {shards.begin / static_cast<std::size_t>(parts), shards.end / static_cast<std::size_t>(parts)};
  }
  /// Whether this store has the vector. @throws Error protocol for one that there is not
  bool is_here(int vector) const;
  /// A slab for gradients, where they are dealt out: the first so many as this store has portions, then the spares.
  ObjectId dealt_id(int slab) const { return id(ObjectKind::gradient, slab); }
  int dealt_slabs() const { return deals() ? static_cast<int>(shards.size()) + spares : 0; }
};

/// The generations that gradients' slabs were made for, by shard, of both kinds: a worker makes its own and, as a
/// backup, those of the worker before it.
/// @param by_lane those of each lane's worker. @param devices lanes of a worker
std::vector<std::vector<std::uint64_t>> gradients_made_for(const Topology& topology, std::vector<std::uint64_t> by_lane,
                                                           std::size_t devices);

/// The object of a transfer, as driver, nodes and workers name it.
ObjectId transfer_id(std::uint64_t run, std::uint64_t number);

}  // namespace troupe
