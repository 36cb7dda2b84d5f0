#pragma once

#include <memory>
#include <span>
#include <vector>

#include "collectives/state/all_gradients.hpp"
#include "runtime/store/checked_part.hpp"

namespace troupe {

/// The objects of the store that the driver uses if it adds the gradients itself (strategy `driver`). The driver reads
/// the gradients of all shards, and writes the slab of the mean gradient, which all workers read. The destructor
/// releases these objects.
class DriverGradients {
 public:
  /// Creates and publishes the slab of the mean gradient.
  DriverGradients(StoreClient& store, const SlabLayout& layout)
      : size_(layout.size),
        held_(store),
        mean_(held_.create_sealed(layout.id(ObjectKind::mean_gradient, 0), layout.bytes())),
        gradients_(store, layout) {}
  /// Maps the gradients of all shards, like `AllGradients::map`.
  void map(const std::vector<std::vector<std::uint64_t>>& made_for, std::chrono::milliseconds timeout) {
    gradients_.map(made_for, timeout);
  }

  const Gradients& all() const { return gradients_.all(); }
  const Gradients& backups() const { return gradients_.backups(); }
  /// Returns the memory of the mean gradient, for writing.
  std::span<float> mean() const { return checked_first(mean_->writable_floats(), size_); }

 private:
  std::size_t size_;
  HeldObjects held_;
  std::shared_ptr<Mapping> mean_;
  AllGradients gradients_;
};

}  // namespace troupe
