#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "collectives/plan/plan.hpp"
#include "runtime/store/object_id.hpp"

namespace troupe {

/// The gradients of all shards, one span per shard, in order. Each span is a whole flat vector, or empty if the shard's
/// gradient is in another node's store.
using Gradients = std::vector<std::span<const float>>;

/// Returns a copy of `gradients` in which the span of each shard in the ranges `shards` is taken from `others`.
Gradients replaced(Gradients gradients, const std::vector<Range>& shards, const Gradients& others);

/// Which worker writes a gradient. A shard can have two gradients with the same values: one from its own worker, and
/// one from a backup worker, which computes the shard as well.
enum class GradientOf : std::uint8_t { worker, backup };

/// The number of the state's vector that contains weights and statistics. The optimizer's vectors have the next
/// numbers.
inline constexpr int kWeightsVector = 0;

/// The numbers of vectors and gradients that an algorithm needs. The vectors of the state are numbered from 0 in the
/// order of the members below: first `vectors`, then `singles`, then the vectors of shard 0, of shard 1, and so on.
struct StateShape {
  std::int32_t vectors = 1;    ///< vectors with several buffers: the weights, and other vectors that workers write in
                               ///< slices
  std::int32_t singles = 0;    ///< vectors with one buffer, also written in slices
  std::int32_t per_shard = 0;  ///< vectors of each shard, with several buffers; only the worker of the shard writes
                               ///< them
  std::int32_t parts = 1;      ///< portions of each shard; each portion has its own gradient
  std::int32_t spares = -1;    ///< -1: the worker of a shard writes the shard's gradient. Otherwise gradients are dealt
                               ///< out: any worker of the store may write any gradient, and the store has one slab for
                               ///< each of its portions and `spares` slabs more

  /// Returns true if gradients are dealt out; see `spares`.
  bool deals() const { return spares >= 0; }
  /// The next two functions return the number of a vector in the state: of vector `number` with one buffer, and of
  /// vector `number` of a shard.
  int single(int number) const { return vectors + number; }
  int of_shard(int shard, int number) const { return vectors + singles + shard * per_shard + number; }
  bool is_single(int vector) const { return vector >= vectors && vector < vectors + singles; }
  /// Returns the shard to which a vector belongs; -1 if the vector is written in slices.
  int shard_of(int vector) const {
    return per_shard == 0 || vector < vectors + singles ? -1 : (vector - vectors - singles) / per_shard;
  }
  /// Checks that each number is in its allowed range.
  /// @throws Error protocol if a number is out of range
  void check() const;
  bool operator==(const StateShape&) const = default;
};

/// Returns `request`, changed for a run with this state. The number of shards becomes the number of portions, because
/// each portion has its own gradient. If gradients are dealt out, slices will be cut at the borders of the fixed pieces
/// (`vector_pieces`).
/// @throws Error protocol if there are too many portions
PlanRequest plan_for(PlanRequest request, const StateShape& state);

/// Describes the slabs of one generation in one store: their names, sizes and contents. A new generation has new slabs.
struct SlabLayout : StateShape {
  std::uint64_t run = 0;
  std::uint64_t generation = 0;
  std::size_t size = 0;          ///< number of floats of a flat vector
  std::size_t learned_size = 0;  ///< number of floats with a gradient; statistics follow them
  int buffers = 2;               ///< number of buffers of each vector that has several buffers
  int num_shards = 1;            ///< number of gradients in all stores: of shards, or of portions if shards are divided
                                 ///< into portions
  Range shards = {0, 1};         ///< the shards, or portions of shards, whose gradients are in this store
  bool in_part = false;          ///< if true, this store contains only the range `own` of each vector with one buffer
  Range own = {};                ///< the range of the flat vectors that the workers of this store own
  bool mean_gradient = false;    ///< if true, the driver adds the gradients and writes their mean into a slab
  bool backups = false;          ///< if true, each shard has two gradients (see GradientOf), and any worker may write
                                 ///< any slice
  bool devices_copy = false;     ///< if true, workers map the weights for writing, although they only read them: on
                                 ///< most machines a device can copy by DMA only from writable mappings
  Range served = {0, 0};         ///< ranks of the workers to which parameter servers serve weights in this store

  /// Returns the name of an object of this run and generation.
  ObjectId id(ObjectKind kind, int number, int buffer = 0) const;
  ObjectId vector_id(int vector, int buffer) const { return id(ObjectKind::vector, vector, buffer); }
  /// Returns the name of the slab with a shard's gradient.
  /// @param made_for the generation for which the slab was created; it may be earlier than `generation`
  ObjectId gradient_id(GradientOf whose, std::size_t shard, std::uint64_t made_for) const;
  /// Returns the size of one flat vector in bytes, rounded up to whole pages.
  std::size_t bytes() const;
  /// Returns the size in bytes of all vectors with several buffers in this store, if each of them has `in_buffers`
  /// buffers.
  std::size_t versioned_bytes(int in_buffers) const;
  /// Returns the size in bytes of all vectors of the state in this store.
  std::size_t state_bytes() const {
    return versioned_bytes(buffers) + bytes_of(vectors) * static_cast<std::size_t>(singles);
  }
  /// Returns the range of a vector that this store contains.
  Range range_of(int vector) const { return is_single(vector) && in_part ? own : Range{0, size}; }
  /// Returns the size of `range_of(vector)` in bytes, rounded up to whole pages.
  std::size_t bytes_of(int vector) const;
  /// Returns the number of vectors of the state in all stores.
  int num_vectors() const { return of_shard(num_data_shards(), 0); }
  /// Returns the number of shards in all stores, not counting their portions.
  int num_data_shards() const { return num_shards / parts; }
  int buffers_of(int vector) const { return is_single(vector) ? 1 : buffers; }
  /// Returns the shards whose gradients, or whose portions' gradients, are in this store.
  Range data_shards() const {
    return {shards.begin / static_cast<std::size_t>(parts), shards.end / static_cast<std::size_t>(parts)};
  }
  /// Returns true if this store contains the vector, or the part of the vector in `own`.
  /// @throws Error protocol if there is no such vector
  bool is_here(int vector) const;
  /// Returns the name of a slab for gradients that are dealt out.
  /// @param slab a number below `dealt_slabs()`; the store's portions have the first slabs, and spare slabs follow
  ObjectId dealt_id(int slab) const { return id(ObjectKind::gradient, slab); }
  /// Returns the number of slabs in this store for gradients that are dealt out.
  int dealt_slabs() const { return deals() ? static_cast<int>(shards.size()) + spares : 0; }
};

/// Returns the generation for which the slab of each gradient was created, by GradientOf and shard. A worker creates
/// the slabs of its own shards and, as a backup, slabs for the shards of the worker before it.
/// @param by_lane for each lane, the generation for which its worker created its slabs
/// @param devices number of lanes per worker
std::vector<std::vector<std::uint64_t>> gradients_made_for(const Topology& topology, std::vector<std::uint64_t> by_lane,
                                                           std::size_t devices);

/// Returns the name of the transfer object with this number. The name is the same on driver, nodes and workers.
ObjectId transfer_id(std::uint64_t run, std::uint64_t number);

}  // namespace troupe
