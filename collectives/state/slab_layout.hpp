#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "collectives/plan/plan.hpp"
#include "runtime/store/object_id.hpp"

namespace troupe {

/// The gradients of all shards: one span per shard, in order of the shards. Each span is a whole flat vector. The span
/// is empty if the shard's gradient is in another node's store.
using Gradients = std::vector<std::span<const float>>;

/// Returns `gradients`, in which the spans of all shards in the ranges `shards` are replaced by the spans in `others`.
Gradients replaced(Gradients gradients, const std::vector<Range>& shards, const Gradients& others);

/// States which worker writes a gradient. A shard can have two gradients with the same values: one that its own worker
/// writes, and one that a backup writes.
enum class GradientOf : std::uint8_t { worker, backup };

/// The number of the vector of the state that contains the weights and statistics. The optimizer's vectors have the
/// next numbers.
inline constexpr int kWeightsVector = 0;

/// States how many vectors and gradients an algorithm needs. The vectors of the state are numbered from 0 on: first the
/// `vectors` vectors with several buffers, then the `singles` vectors with one buffer, then the `per_shard` vectors of
/// shard 0, of shard 1, and so on.
struct StateShape {
  std::int32_t vectors = 1;    ///< number of vectors with several buffers that workers write in slices: the weights and
                               ///< the optimizer's vectors
  std::int32_t singles = 0;    ///< number of vectors with one buffer that workers write in slices
  std::int32_t per_shard = 0;  ///< number of vectors of each shard, with several buffers; only the worker that computes
                               ///< the shard writes these vectors
  std::int32_t parts = 1;      ///< number of portions of each shard; each portion has its own gradient
  std::int32_t spares = -1;    ///< -1: the worker of a shard writes the shard's gradient. Otherwise gradients are dealt
                               ///< out: any worker of the store may write any gradient. The store then has one slab for
                               ///< each of its portions, and `spares` additional slabs

  /// Returns true if gradients are dealt out (see `spares`).
  bool deals() const { return spares >= 0; }
  /// The next two functions return the number of a vector in the state. `single` takes the number among the vectors
  /// with one buffer. `of_shard` takes a shard, and the number among the vectors of this shard.
  int single(int number) const { return vectors + number; }
  int of_shard(int shard, int number) const { return vectors + singles + shard * per_shard + number; }
  bool is_single(int vector) const { return vector >= vectors && vector < vectors + singles; }
  /// Returns the shard to which the vector with the number `vector` belongs; -1 if the vector belongs to no shard.
  int shard_of(int vector) const {
    return per_shard == 0 || vector < vectors + singles ? -1 : (vector - vectors - singles) / per_shard;
  }
  /// Checks that each member is in its allowed range.
  /// @throws Error protocol if a member is out of range
  void check() const;
  bool operator==(const StateShape&) const = default;
};

/// Returns `request`, changed for a run whose state has the shape `state`. The number of shards is replaced by the
/// number of portions of all shards, because each portion has its own gradient. If gradients are dealt out, `in_pieces`
/// is set, so that slices begin and end at borders of the fixed pieces (`vector_pieces`).
/// @throws Error protocol if there are too many portions
PlanRequest plan_for(PlanRequest request, const StateShape& state);

/// Describes the slabs of one generation in one store: their names, sizes and contents. A new generation has new slabs,
/// except that slabs of gradients may be used again.
struct SlabLayout : StateShape {
  std::uint64_t run = 0;
  std::uint64_t generation = 0;
  std::size_t size = 0;          ///< number of floats of a flat vector
  std::size_t learned_size = 0;  ///< number of floats of a flat vector that have a gradient; the statistics follow
                                 ///< these floats
  int buffers = 2;               ///< number of buffers of each vector that has several buffers
  int num_shards = 1;            ///< number of gradients in all stores together: one for each shard, or one for each
                                 ///< portion if shards are divided into portions
  Range shards = {0, 1};         ///< the shards whose gradients are in this store; if shards are divided into portions,
                                 ///< the numbers of the portions
  bool in_part = false;          ///< if true, this store contains only the floats `own` of each vector with one buffer
  Range own = {};                ///< the floats of the flat vectors that belong to the slices of this store's workers
  bool mean_gradient = false;    ///< if true, the driver adds the gradients and writes the mean gradient into a slab
  bool backups = false;          ///< if true, any worker can become a backup: each shard has two gradients (see
                                 ///< GradientOf), and any worker may write any slice
  bool devices_copy = false;     ///< if true, workers map the weights for writing, although they only read the weights.
                                 ///< On most machines, a device can copy memory by DMA only if its mapping is writable
  Range served = {0, 0};         ///< ranks of the workers for which parameter servers write served weights into this
                                 ///< store

  /// Returns the name of the object of this run and generation with the given kind, number and buffer.
  ObjectId id(ObjectKind kind, int number, int buffer = 0) const;
  ObjectId vector_id(int vector, int buffer) const { return id(ObjectKind::vector, vector, buffer); }
  /// Returns the name of the slab with the gradient of shard `shard` that the worker `whose` writes.
  /// @param made_for the generation for which the slab was created; it may be earlier than `generation`
  ObjectId gradient_id(GradientOf whose, std::size_t shard, std::uint64_t made_for) const;
  /// Returns the size of one flat vector in bytes, rounded up to whole pages.
  std::size_t bytes() const;
  /// Returns the total size in bytes of all vectors with several buffers in this store, if each of these vectors has
  /// `in_buffers` buffers.
  std::size_t versioned_bytes(int in_buffers) const;
  /// Returns the total size in bytes of all vectors of the state in this store, with all their buffers.
  std::size_t state_bytes() const {
    return versioned_bytes(buffers) + bytes_of(vectors) * static_cast<std::size_t>(singles);
  }
  /// Returns the range of floats of vector `vector` that this store contains.
  Range range_of(int vector) const { return is_single(vector) && in_part ? own : Range{0, size}; }
  /// Returns the size of `range_of(vector)` in bytes, rounded up to whole pages.
  std::size_t bytes_of(int vector) const;
  /// Returns the number of vectors of the state in all stores together.
  int num_vectors() const { return of_shard(num_data_shards(), 0); }
  /// Returns the number of shards of the run. Portions of shards are not counted.
  int num_data_shards() const { return num_shards / parts; }
  int buffers_of(int vector) const { return is_single(vector) ? 1 : buffers; }
  /// Returns the numbers of the shards whose gradients (or the gradients of whose portions) are in this store. Portions
  /// are not counted.
  Range data_shards() const {
    return {shards.begin / static_cast<std::size_t>(parts), shards.end / static_cast<std::size_t>(parts)};
  }
  /// Returns true if this store contains the whole vector `vector`, or the floats `own` of the vector.
  /// @throws Error protocol if there is no vector with this number
  bool is_here(int vector) const;
  /// Returns the name of a slab for gradients that are dealt out.
  /// @param slab a number below `dealt_slabs()`. The first slabs are for the portions of this store; the spare slabs
  /// follow
  ObjectId dealt_id(int slab) const { return id(ObjectKind::gradient, slab); }
  /// Returns the number of slabs in this store for gradients that are dealt out; 0 if gradients are not dealt out.
  int dealt_slabs() const { return deals() ? static_cast<int>(shards.size()) + spares : 0; }
};

/// Returns, by GradientOf and shard, the generation for which the slab of the gradient was created. A worker creates
/// slabs for the gradients of its own shards. As a backup, it also creates slabs for the shards of the worker before
/// it.
/// @param by_lane by lane: the generation for which the lane's worker created its slabs
/// @param devices number of lanes per worker
std::vector<std::vector<std::uint64_t>> gradients_made_for(const Topology& topology, std::vector<std::uint64_t> by_lane,
                                                           std::size_t devices);

/// Returns the name of the transfer object with the number `number` of a run. The driver, nodes and workers all use
/// this name.
ObjectId transfer_id(std::uint64_t run, std::uint64_t number);

}  // namespace troupe
