#pragma once

#include <memory>
#include <span>
#include <vector>

#include "collectives/state/held_objects.hpp"
#include "collectives/state/slab_layout.hpp"

namespace troupe {

/// The named vectors of a run, weights and the optimizer's, as they lie in one store: each in several buffers, of which
/// one holds the committed version and others what is being written or pinned (`Versions` knows which). Workers open
/// their slices for writing before `publish`. Released when this goes.
///
/// Weights are whole in every store. Of the optimizer's vectors a store has what its workers own; in a cluster
/// `GatherSlices` makes the first node's whole. Vectors of shards lie where their shards' gradients do. Where gradients
/// are dealt out their slabs are here, too, since any worker of the store writes any of them.
class VersionedState {
 public:
  /// All zeros.
  VersionedState(StoreClient& store, const SlabLayout& layout);

  /// Buffer i becomes what buffer `buffers[i]` of another generation's state is. Of a state of another shape the
  /// weights alone.
  void carry(const VersionedState& from, const std::vector<int>& buffers);
  /// From now on others can map it for reading, and nobody anew for writing.
  void publish();

  /// What of it lies in this store.
  std::span<float> vector(int vector, int buffer) const;
  /// Makes flat values the content of a vector.
  void place(std::span<const float> flat, int vector, int buffer) const;
  /// Makes all but the weights zero. What has one buffer is another version's, too, and counts no updates: it stays.
  void clear(int buffer) const;

  const SlabLayout& layout() const { return layout_; }

 private:
  StoreClient& store_;
  SlabLayout layout_;
  HeldObjects held_;
  std::vector<std::vector<std::shared_ptr<Mapping>>> vectors_;  ///< by vector and buffer; none where it is not here
};

}  // namespace troupe
