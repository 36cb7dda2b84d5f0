#pragma once

#include <memory>
#include <span>
#include <vector>

#include "collectives/state/held_objects.hpp"
#include "collectives/state/slab_layout.hpp"

namespace troupe {

/// A worker's slabs: the gradients of its shards, which it alone writes, its slice of the state, and for reading what
/// the others publish. Released when this goes.
class WorkerSlabs {
 public:
  /// Creates the gradients of `shards` and opens the slice for writing.
  /// @param contributes whether gradients are needed though the slice is empty.
  WorkerSlabs(StoreClient& store, const SlabLayout& layout, const Range& shards, const Range& slice,
              bool contributes = false);

  /// Maps the weights and all that this worker is to add. Everybody has created theirs by now.
  void map_others(std::chrono::milliseconds timeout);

  std::span<float> gradient(int shard) const;
  std::span<const float> weights(int buffer) const;
  /// A whole vector as it lies in this store, mapped for as long as the caller holds it.
  std::shared_ptr<Mapping> map_vector(int vector, int buffer, std::chrono::milliseconds timeout) const;
  /// The part `range` of this worker's slice of a vector, for writing.
  std::span<float> slice_of(int vector, int buffer, const Range& range) const;
  const Range& slice() const { return slice_; }
  /// What a slice is reduced from: by shard, the gradients that lie in this store (the others' are empty), or the
  /// driver's mean alone.
  const Gradients& sources() const { return sources_; }

 private:
  std::shared_ptr<Mapping> open_slice(int vector, int buffer);
  const std::shared_ptr<Mapping>& own_gradient(int shard) const;

  StoreClient& store_;
  SlabLayout layout_;
  Range shards_;
  Range slice_;
  bool contributes_;
  HeldObjects held_;
  std::vector<std::shared_ptr<Mapping>> own_gradients_;        ///< of `shards_`
  std::vector<std::shared_ptr<Mapping>> weights_;              ///< by buffer
  std::vector<std::vector<std::shared_ptr<Mapping>>> slices_;  ///< by vector and buffer
  std::vector<std::shared_ptr<Mapping>> source_maps_;
  Gradients sources_;
};

}  // namespace troupe
