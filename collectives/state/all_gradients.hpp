#pragma once

#include <memory>
#include <vector>

#include "collectives/state/held_objects.hpp"
#include "collectives/state/slab_layout.hpp"

namespace troupe {

/// Maps the gradients of all shards whose gradients are in this store, for reading. The destructor releases the
/// mappings.
class AllGradients {
 public:
  AllGradients(StoreClient& store, const SlabLayout& layout) : layout_(layout), held_(store) {}
  /// Maps the gradients. Waits up to `timeout` for each gradient that no worker has published yet.
  /// @param made_for the generation for which each gradient's slab was created, by GradientOf and shard; the result of
  /// `gradients_made_for`
  void map(const std::vector<std::vector<std::uint64_t>>& made_for, std::chrono::milliseconds timeout);

  /// Returns the gradients that the shards' own workers write, by shard. The span of a shard in another store is empty.
  const Gradients& all() const { return gradients_; }
  /// Returns the gradients that backup workers write, by shard. Empty if the run has no backups.
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
