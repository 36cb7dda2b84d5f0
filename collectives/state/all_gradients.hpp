#pragma once

#include <memory>
#include <vector>

#include "collectives/state/held_objects.hpp"
#include "collectives/state/slab_layout.hpp"

namespace troupe {

/// Maps for reading the gradients of all shards whose gradients are in one store. The destructor releases the
/// gradients' slabs.
class AllGradients {
 public:
  AllGradients(StoreClient& store, const SlabLayout& layout) : layout_(layout), held_(store) {}
  /// Maps the gradients. For each gradient that no worker has published yet, waits up to `timeout`.
  /// @param made_for the result of `gradients_made_for`: by GradientOf and shard, the generation for which the
  /// gradient's slab was created
  void map(const std::vector<std::vector<std::uint64_t>>& made_for, std::chrono::milliseconds timeout);

  /// Returns, by shard, the gradients that the shards' own workers write. The span is empty if the shard's gradient is
  /// in another store.
  const Gradients& all() const { return gradients_; }
  /// Returns, by shard, the gradients that backup workers write. Empty if the run has no backups.
  const Gradients& backups() const { return backups_; }

 private:
  Gradients map(GradientOf whose, const std::vector<std::uint64_t>& made_for, std::chrono::milliseconds timeout);

  SlabLayout layout_;
  HeldObjects held_;
  std::vector<std::shared_ptr<Mapping>> maps_;
  Gradients gradients_;
  Gradients backups_;
};

}  // namespace troupe
