#pragma once

#include <memory>
#include <span>
#include <vector>

#include "collectives/state/held_objects.hpp"
#include "collectives/state/slab_layout.hpp"

namespace troupe {

/// What a driver holds that adds the gradients itself: all of them, and the mean that it shares. Released when this
/// goes.
class DriverGradients {
 public:
  /// Makes the mean's slab.
  DriverGradients(StoreClient& store, const SlabLayout& layout);
  /// Maps the gradients, which are all there by now. @param made_for as WorkerSlabs::map_others
  void map(const std::vector<std::vector<std::uint64_t>>& made_for, std::chrono::milliseconds timeout);

  const Gradients& all() const { return gradients_; }
  /// By shard, those of backups.
  const Gradients& backups() const { return backups_; }
  std::span<float> mean() const { return mean_->writable_floats().first(layout_.size); }

 private:
  Gradients map(GradientOf whose, const std::vector<std::uint64_t>& made_for, std::chrono::milliseconds timeout);

  SlabLayout layout_;
  HeldObjects held_;
  std::shared_ptr<Mapping> mean_;
  std::vector<std::shared_ptr<Mapping>> maps_;
  Gradients gradients_;
  Gradients backups_;
};

}  // namespace troupe
