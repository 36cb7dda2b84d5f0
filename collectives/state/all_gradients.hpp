#pragma once

#include <memory>
#include <vector>

#include "collectives/state/held_objects.hpp"
#include "collectives/state/slab_layout.hpp"

namespace troupe {

/// The gradients of all shards in this store, for reading. The destructor releases them.
class AllGradients {
 public:
  AllGradients(StoreClient& store, const SlabLayout& layout) : layout_(layout), held_(store) {}
  /// Maps the gradients. All of them must exist.
  /// @param made_for as for WorkerSlabs::map_others
  void map(const std::vector<std::vector<std::uint64_t>>& made_for, std::chrono::milliseconds timeout);

  /// By shard; empty for shards in other stores.
  const Gradients& all() const { return gradients_; }
  /// By shard, the gradients of backups.
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
