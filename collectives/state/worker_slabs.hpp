#pragma once

#include <memory>
#include <span>
#include <vector>

#include "collectives/state/held_objects.hpp"
#include "collectives/state/slab_layout.hpp"
#include "runtime/store/checked_part.hpp"

namespace troupe {

/// The slabs for the gradients of consecutive shards. One worker creates and writes them; other workers may map them
/// for reading. The destructor releases the slabs.
class OwnGradients {
 public:
  /// Creates and publishes one slab for each shard in `shards`.
  /// @param made_for the first generation that uses the slabs
  OwnGradients(StoreClient& store, const SlabLayout& layout, GradientOf whose, const Range& shards,
               std::uint64_t made_for);

  std::uint64_t made_for() const { return made_for_; }
  /// Returns the gradient of a shard, for writing.
  std::span<float> gradient(std::size_t shard) const { return checked_first(of(shard)->writable_floats(), size_); }
  /// Returns true if `shard` is one of these shards.
  bool has(std::size_t shard) const { return shard >= shards_.begin && shard < shards_.end; }
  const std::shared_ptr<Mapping>& of(std::size_t shard) const { return mappings_.at(shard - shards_.begin); }

 private:
  std::uint64_t made_for_;
  std::size_t size_;
  Range shards_;
  HeldObjects held_;
  std::vector<std::shared_ptr<Mapping>> mappings_;
};

/// The slabs that one worker maps in a generation. It writes its slice of the state; if the run has backups, it may
/// write the whole state. It reads the weights, and the gradients that other workers publish. The destructor releases
/// the slabs.
class WorkerSlabs {
 public:
  /// Opens these objects for writing: the worker's slice of each vector, the vectors of the worker's shards, and the
  /// slabs of gradients that are dealt out. If `layout.devices_copy` is true, opens the weights for writing as well.
  /// @param own the worker's own gradients, indexed by GradientOf; they must outlive this object
  /// @param contributes true if the worker reads gradients even if its slice is empty, for example to send sums to
  /// other nodes
  /// @param shards the worker's shards, if `layout.per_shard` is not 0
  WorkerSlabs(StoreClient& store, const SlabLayout& layout, std::vector<const OwnGradients*> own, const Range& slice,
              bool contributes = false, const Range& shards = {});

  /// Maps the weights and all gradients that this worker adds. Waits up to `timeout` for each slab that is not yet
  /// published.
  /// @param made_for the generation for which each gradient's slab was created, by GradientOf and shard; the result of
  /// `gradients_made_for`
  void map_others(const std::vector<std::vector<std::uint64_t>>& made_for, std::chrono::milliseconds timeout);
  /// Maps the vector of weights that parameter servers write for the worker of this rank.
  void map_served(int rank, std::chrono::milliseconds timeout);

  /// Returns the whole flat vector of weights in `buffer`.
  std::span<const float> weights(int buffer) const;
  /// Maps a whole vector of the state for reading. If this store contains only a part of the vector, a node must have
  /// gathered the whole vector beforehand. The mapping stays valid until the next call at least, and while the caller
  /// keeps the returned pointer.
  std::shared_ptr<Mapping> map_vector(int vector, int buffer, std::chrono::milliseconds timeout);
  /// Returns the floats `range` of a vector, for writing. `range` must be inside this worker's slice.
  std::span<float> slice_of(int vector, int buffer, const Range& range) const;
  /// Returns a whole vector of one of the worker's shards, for writing.
  /// @param number the number of the vector among the vectors of this shard
  std::span<float> shard_vector(int shard, int number, int buffer) const;
  /// Returns the memory of a slab for gradients that are dealt out, for writing.
  std::span<float> dealt(int slab) const;
  /// Returns the range that this worker may write.
  const Range& slice() const { return slice_; }
  /// Returns the vectors that this worker adds to compute the sum for its slice. These are the gradients of the shards,
  /// by shard, with empty spans for shards in other stores. If the driver adds the gradients, the only vector is the
  /// mean gradient.
  const Gradients& sources() const { return sources_; }
  /// Returns the gradients that backup workers write, by shard. Empty if the run has no backups.
  const Gradients& backups() const { return backups_; }
  /// Returns the weights that parameter servers wrote last for this worker.
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
  ObjectId last_mapped_;  ///< the vector that `map_vector` mapped last; a caller often requests the same vector again
  std::shared_ptr<Mapping> last_mapping_;
  Gradients sources_;
  Gradients backups_;
};

}  // namespace troupe
