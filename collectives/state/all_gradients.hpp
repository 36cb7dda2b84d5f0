#pragma once

#include <memory>
#include <vector>

#include "collectives/state/held_objects.hpp"
#include "collectives/state/slab_layout.hpp"

namespace troupe {

/// The gradients of all shards that lie in this store, for reading. Released when this goes.
class AllGradients {
 public:
  AllGradients(StoreClient& store, const SlabLayout& layout) : layout_(layout), held_(store) {}
  /// Maps them; they are all there by now. @param made_for as WorkerSlabs::map_others
  void map(const std::vector<std::vector<std::uint64_t>>& made_for, std::chrono::milliseconds timeout);

  /// By shard; empty where they lie elsewhere.
  const Gradients& all() const { return gradients_; }
  /// By shard, those of backups.
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
