#pragma once

#include <memory>
#include <span>
#include <vector>

#include "collectives/state/held_objects.hpp"
#include "collectives/state/slab_layout.hpp"
#include "runtime/store/checked_part.hpp"

namespace troupe {

/// The slabs for the gradients of consecutive shards. One worker creates and writes the slabs; other workers may map
/// the slabs for reading. The destructor releases the slabs.
class OwnGradients {
 public:
  /// Creates and publishes one slab for each shard in `shards`.
  /// @param made_for the first generation that uses the slabs; part of the slabs' names
  OwnGradients(StoreClient& store, const SlabLayout& layout, GradientOf whose, const Range& shards,
               std::uint64_t made_for);

  std::uint64_t made_for() const { return made_for_; }
  /// Returns the memory for the gradient of shard `shard`, for writing.
  std::span<float> gradient(std::size_t shard) const { return checked_first(of(shard)->writable_floats(), size_); }
  /// Returns true if this object has a slab for the gradient of `shard`.
  bool has(std::size_t shard) const { return shard >= shards_.begin && shard < shards_.end; }
  const std::shared_ptr<Mapping>& of(std::size_t shard) const { return mappings_.at(shard - shards_.begin); }

 private:
  std::uint64_t made_for_;
  std::size_t size_;
  Range shards_;
  HeldObjects held_;
  std::vector<std::shared_ptr<Mapping>> mappings_;
};

/// The slabs that one worker maps in a generation. The worker writes its slice of the state; if the run has backups, it
/// may write the whole state. It reads the weights, and the gradients that other workers publish. The destructor
/// releases the slabs.
class WorkerSlabs {
 public:
  /// Opens the objects that the worker writes: its slice of each vector, the vectors of its shards, and the slabs of
  /// gradients that are dealt out. If `layout.devices_copy` is true, opens all weights for writing, too.
  /// @param own the worker's own gradients, indexed by GradientOf; the pointed-to objects must outlive this object
  /// @param contributes true if the worker reads gradients even if its slice is empty, for example because it sends
  /// sums to other nodes
  /// @param shards the shards that the worker computes; used only if `layout.per_shard` is not 0
  WorkerSlabs(StoreClient& store, const SlabLayout& layout, std::vector<const OwnGradients*> own, const Range& slice,
              bool contributes = false, const Range& shards = {});

  /// Maps the weights and all gradients that this worker adds. For each slab that is not published yet, waits up to
  /// `timeout`.
  /// @param made_for the result of `gradients_made_for`: by GradientOf and shard, the generation for which the
  /// gradient's slab was created
  void map_others(const std::vector<std::vector<std::uint64_t>>& made_for, std::chrono::milliseconds timeout);
  /// Maps the vector of weights that parameter servers write for the worker with the rank `rank`. If the vector is not
  /// published yet, waits up to `timeout`.
  void map_served(int rank, std::chrono::milliseconds timeout);

  /// Returns the weights in the buffer `buffer`, as a whole flat vector.
  std::span<const float> weights(int buffer) const;
  /// Maps the whole vector `vector` of the state for reading. If this store normally contains only a part of the
  /// vector, its node must have gathered a copy of the whole vector before. The mapping stays valid while the caller
  /// keeps the returned pointer, and at least until the next call.
  std::shared_ptr<Mapping> map_vector(int vector, int buffer, std::chrono::milliseconds timeout);
  /// Returns the floats `range` of buffer `buffer` of vector `vector`, for writing. `range` must be inside this
  /// worker's slice.
  std::span<float> slice_of(int vector, int buffer, const Range& range) const;
  /// Returns buffer `buffer` of a vector of shard `shard`, for writing. The shard must be one of the worker's shards.
  /// @param number the number of the vector among the vectors of this shard
  std::span<float> shard_vector(int shard, int number, int buffer) const;
  /// Returns the memory of the slab with the number `slab` for gradients that are dealt out, for writing.
  std::span<float> dealt(int slab) const;
  /// Returns this worker's slice: the range of floats that the worker may write.
  const Range& slice() const { return slice_; }
  /// Returns the vectors that this worker adds to compute the sum for its slice. These are the gradients by shard; the
  /// span is empty if the shard's gradient is in another store. If the driver adds the gradients, the only vector is
  /// the mean gradient.
  const Gradients& sources() const { return sources_; }
  /// Returns, by shard, the gradients that backup workers write. Empty if the run has no backups.
  const Gradients& backups() const { return backups_; }
  /// Returns the weights that parameter servers have written for this worker.
  /// @throws Error protocol if there are no parameter servers
  std::span<const float> served() const;

 private:
  std::shared_ptr<Mapping> open_slice(int vector, int buffer);
  void open_whole(int vector);
  Gradients map_gradients(GradientOf whose, const std::vector<std::uint64_t>& made_for,
                          std::chrono::milliseconds timeout);

  StoreClient& store_;
  SlabLayout layout_;
  std::vector<const OwnGradients*> own_;  ///< by GradientOf
  Range slice_;
  bool contributes_;
  HeldObjects held_;
  std::vector<std::shared_ptr<Mapping>> weights_;              ///< by buffer
  std::vector<std::vector<std::shared_ptr<Mapping>>> slices_;  ///< by vector and buffer
  std::vector<std::shared_ptr<Mapping>> dealt_;
  std::vector<std::shared_ptr<Mapping>> source_maps_;
  std::shared_ptr<Mapping> served_;
  ObjectId last_mapped_;  ///< the name of the vector that `map_vector` mapped last; kept, because a caller often
                          ///< requests the same vector again
  std::shared_ptr<Mapping> last_mapping_;
  Gradients sources_;
  Gradients backups_;
};

}  // namespace troupe
