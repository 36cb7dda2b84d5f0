#pragma once

#include <memory>
#include <span>
#include <vector>

#include "collectives/state/held_objects.hpp"
#include "collectives/state/slab_layout.hpp"

namespace troupe {

/// The vectors of a run in one store: weights, and the optimizer's vectors. Each has several buffers. One buffer holds
/// the committed version; the others are being written or pinned (see `Versions`). Workers open their slices for
/// writing before `publish`. The destructor releases the vectors.
///
/// Weights are complete in every store. Of the optimizer's vectors a store holds the parts that its workers own; in a
/// cluster `GatherSlices` completes the first node's. Vectors of shards are in the same store as the shards' gradients.
/// If gradients are dealt out, their slabs are here as well, because any worker of the store writes any of them.
class VersionedState {
 public:
  /// Creates vectors of zeros.
  VersionedState(StoreClient& store, const SlabLayout& layout);

  /// Copies the state of another generation: buffer i becomes a copy of the other state's buffer `buffers[i]`. If the
  /// states differ in shape, copies only the weights.
  void carry(const VersionedState& from, const std::vector<int>& buffers);
  /// From now on other clients can map the vectors for reading, and no client can newly map them for writing.
  void publish();

  /// Returns the part of a vector that is in this store.
  std::span<float> vector(int vector, int buffer) const;
  /// Copies a flat vector into a vector of the state.
  void place(std::span<const float> flat, int vector, int buffer) const;
  /// Sets all vectors but the weights to zero. Vectors with one buffer are kept: other versions use them, too, and a
  /// version with no updates does not read them.
  void clear(int buffer) const;

  const SlabLayout& layout() const { return layout_; }

 private:
  StoreClient& store_;
  SlabLayout layout_;
  HeldObjects held_;
  std::vector<std::vector<std::shared_ptr<Mapping>>> vectors_;  ///< by vector and buffer; empty if the vector is in
                                                                ///< another store
};

}  // namespace troupe
