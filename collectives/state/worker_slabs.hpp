#pragma once

#include <memory>
#include <span>
#include <vector>

#include "collectives/state/held_objects.hpp"
#include "collectives/state/slab_layout.hpp"
#include "runtime/store/checked_part.hpp"

namespace troupe {

/// Gradients that a worker alone writes, and others may map. Released when this goes.
class OwnGradients {
 public:
  /// @param made_for the first generation that they serve
  OwnGradients(StoreClient& store, const SlabLayout& layout, GradientOf whose, const Range& shards,
               std::uint64_t made_for);

  std::uint64_t made_for() const { return made_for_; }
  std::span<float> gradient(std::size_t shard) const { return checked_first(of(shard)->writable_floats(), size_); }
  bool has(std::size_t shard) const { return shard >= shards_.begin && shard < shards_.end; }
  const std::shared_ptr<Mapping>& of(std::size_t shard) const { return mappings_.at(shard - shards_.begin); }

 private:
  std::uint64_t made_for_;
  std::size_t size_;
  Range shards_;
  HeldObjects held_;
  std::vector<std::shared_ptr<Mapping>> mappings_;
};

/// A worker's slabs of a generation: its slice of the state, or where there are backups all of it, for writing, and for
/// reading what the others publish. Released when this goes.
class WorkerSlabs {
 public:
  /// Opens the slice for writing, vectors of its shards, gradients that are dealt out, and weights that devices copy.
  /// @param own its gradients, of each kind that there is; they must outlive this
  /// @param contributes whether gradients are needed though the slice is empty.
  /// @param shards that the worker has of those that have vectors
  WorkerSlabs(StoreClient& store, const SlabLayout& layout, std::vector<const OwnGradients*> own, const Range& slice,
              bool contributes = false, const Range& shards = {});

  /// Maps the weights and all that this worker is to add. Everybody has created theirs by now.
  /// @param made_for by shard, the generation of its gradient's slab, for each kind of gradients that there is
  void map_others(const std::vector<std::vector<std::uint64_t>>& made_for, std::chrono::milliseconds timeout);
  /// Maps what parameter servers serve the worker of this rank.
  void map_served(int rank, std::chrono::milliseconds timeout);

  std::span<const float> weights(int buffer) const;
  /// A whole vector as it lies in this store, mapped for as long as the caller holds it, or until another one is.
  std::shared_ptr<Mapping> map_vector(int vector, int buffer, std::chrono::milliseconds timeout);
  /// The part `range` of what this worker writes of a vector, for writing.
  std::span<float> slice_of(int vector, int buffer, const Range& range) const;
  /// A whole vector of one of its shards, for writing.
  std::span<float> shard_vector(int shard, int number, int buffer) const;
  /// A gradient's slab, where these are dealt out.
  std::span<float> dealt(int slab) const;
  /// What it may write.
  const Range& slice() const { return slice_; }
  /// What a slice is reduced from: by shard, the gradients that lie in this store (the others' are empty), or the
  /// driver's mean alone.
  const Gradients& sources() const { return sources_; }
  /// By shard, the gradients of backups.
  const Gradients& backups() const { return backups_; }
  /// What parameter servers have served last. @throws Error protocol where there are none
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
  ObjectId last_mapped_;  ///< by `map_vector`, whose caller may want it part by part
  std::shared_ptr<Mapping> last_mapping_;
  Gradients sources_;
  Gradients backups_;
};

}  // namespace troupe
