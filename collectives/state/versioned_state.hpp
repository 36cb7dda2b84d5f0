#pragma once

#include <memory>
#include <span>
#include <vector>

#include "collectives/state/held_objects.hpp"
#include "collectives/state/slab_layout.hpp"

namespace troupe {

/// The vectors of a run's state in one store: the weights and the optimizer's vectors. Most vectors have several
/// buffers. One buffer contains the committed version, and the others are pinned or spare (see `Versions`). Workers
/// must open their slices for writing before `publish` is called. The destructor releases the vectors.
///
/// The weights are complete in every store. In a cluster, a store contains valid values of the optimizer's vectors only
/// in the slices of its own workers; the message `GatherSlices` completes these vectors on the first node. A vector of
/// a shard is in the store that contains the shard's gradient. If gradients are dealt out, this class also creates the
/// gradients' slabs, because any worker of the store may write any of these slabs.
class VersionedState {
 public:
  /// Creates all vectors of `layout` that belong to this store, filled with zeros.
  VersionedState(StoreClient& store, const SlabLayout& layout);

  /// Copies the state `from` of an earlier generation: buffer i becomes a copy of buffer `buffers[i]` of `from`. If the
  /// shapes of the two states differ, copies only the weights. Skips each vector of which this store contains another
  /// range in the two generations.
  void carry(const VersionedState& from, const std::vector<int>& buffers);
  /// Seals the vectors. Afterwards, other clients can map the vectors for reading, and no client can create a new
  /// mapping for writing.
  void publish();

  /// Returns the memory of buffer `buffer` of vector `vector`, for writing. The memory contains the range of the vector
  /// that is in this store (`SlabLayout::range_of`). If the vector has only one buffer, `buffer` is ignored.
  std::span<float> vector(int vector, int buffer) const;
  /// Copies the floats of `flat`, a whole flat vector, into buffer `buffer` of vector `vector`, as far as this store
  /// contains the vector.
  void place(std::span<const float> flat, int vector, int buffer) const;
  /// Fills the buffer `buffer` of every vector except the weights with zeros. Called when a version with 0 updates is
  /// made (see Version). Does not change vectors with one buffer, because other versions also use these vectors, and a
  /// version with 0 updates does not read them.
  void clear(int buffer) const;

  const SlabLayout& layout() const { return layout_; }

 private:
  StoreClient& store_;
  SlabLayout layout_;
  HeldObjects held_;
  std::vector<std::vector<std::shared_ptr<Mapping>>> vectors_;  ///< the mappings by vector and buffer; the list of a
                                                                ///< vector is empty if the vector is in another store
};

}  // namespace troupe
