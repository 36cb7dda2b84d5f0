#pragma once

#include <memory>
#include <span>
#include <vector>

#include "collectives/state/held_objects.hpp"
#include "collectives/state/slab_layout.hpp"
#include "runtime/store/checked_part.hpp"

namespace troupe {

/// Gradients that only one worker writes, and others may map. The destructor releases them.
class OwnGradients {
 public:
  /// @param made_for the first generation that uses them
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

/// A worker's slabs of a generation. For writing: its slice of the state, or all of it if there are backups. For
/// reading: the slabs that other workers publish. The destructor releases them.
class WorkerSlabs {
 public:
  /// Opens for writing: the slice, vectors of the worker's shards, gradients that are dealt out, and weights that
  /// devices copy.
  /// @param own the worker's gradients, one per existing kind; they must outlive this object
  /// @param contributes true if the worker needs gradients although its slice is empty
  /// @param shards the worker's shards, if shards have vectors
  WorkerSlabs(StoreClient& store, const SlabLayout& layout, std::vector<const OwnGradients*> own, const Range& slice,
              bool contributes = false, const Range& shards = {});

  /// Maps the weights and all gradients that this worker adds. All workers must have created their slabs.
  /// @param made_for by kind of gradient and shard, the generation of the gradient's slab
  void map_others(const std::vector<std::vector<std::uint64_t>>& made_for, std::chrono::milliseconds timeout);
  /// Maps the weights that parameter servers serve to the worker of this rank.
  void map_served(int rank, std::chrono::milliseconds timeout);

  std::span<const float> weights(int buffer) const;
  /// Maps the whole of a vector in this store. The mapping lives as long as the caller holds it, or until the next
  /// call.
  std::shared_ptr<Mapping> map_vector(int vector, int buffer, std::chrono::milliseconds timeout);
  /// Returns the part `range` of this worker's slice of a vector, for writing.
  std::span<float> slice_of(int vector, int buffer, const Range& range) const;
  /// Returns a whole vector of one of the worker's shards, for writing.
  std::span<float> shard_vector(int shard, int number, int buffer) const;
  /// Returns a gradient's slab, if gradients are dealt out.
  std::span<float> dealt(int slab) const;
  /// Returns the range that this worker may write.
  const Range& slice() const { return slice_; }
  /// Returns the vectors from which a slice is reduced: by shard, the gradients in this store (empty for other stores),
  /// or only the driver's mean.
  const Gradients& sources() const { return sources_; }
  /// By shard, the gradients of backups.
  const Gradients& backups() const { return backups_; }
  /// Returns the weights that parameter servers served last.
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
  ObjectId last_mapped_;  ///< by `map_vector`, whose caller may ask for one part after the other
  std::shared_ptr<Mapping> last_mapping_;
  Gradients sources_;
  Gradients backups_;
};

}  // namespace troupe
