#pragma once

#include <memory>
#include <span>
#include <vector>

#include "collectives/state/held_objects.hpp"
#include "collectives/state/slab_layout.hpp"

namespace troupe {

/// The vectors of a run's state in one store: the weights and the optimizer's vectors. Most vectors have several
/// buffers: one contains the committed version, and the others are pinned or may be written (see `Versions`). Workers
/// must open their slices for writing before `publish` is called. The destructor releases the vectors.
///
/// The weights are complete in every store. In a cluster, an optimizer's vector is valid only in the slices of the
/// store's own workers. The message `GatherSlices` completes these vectors on the first node. A vector of a shard is in
/// the store that contains the shard's gradient. If gradients are dealt out, this class also creates their slabs,
/// because any worker of the store may write any of them.
class VersionedState {
 public:
  /// Creates all vectors that belong to this store, filled with zeros.
  VersionedState(StoreClient& store, const SlabLayout& layout);

  /// Copies the state of an earlier generation: buffer i becomes a copy of buffer `buffers[i]` of `from`. If the two
  /// states differ in shape, copies only the weights. Skips a vector if the two stores contain different ranges of it.
  void carry(const VersionedState& from, const std::vector<int>& buffers);
  /// Seals the vectors. Afterwards other clients can map them for reading, and no client can newly map them for
  /// writing.
  void publish();

  /// Returns the part of a vector that is in this store, for writing. If the vector has only one buffer, `buffer` is
  /// ignored.
  std::span<float> vector(int vector, int buffer) const;
  /// Copies `flat`, a whole flat vector, into the part of a vector that is in this store.
  void place(std::span<const float> flat, int vector, int buffer) const;
  /// Fills `buffer` of every vector except the weights with zeros. Does not change vectors with one buffer: other
  /// versions use these vectors as well, and a version with 0 updates does not read them.
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
