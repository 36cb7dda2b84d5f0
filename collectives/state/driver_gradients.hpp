#pragma once

#include <memory>
#include <span>
#include <vector>

#include "collectives/state/all_gradients.hpp"
#include "runtime/store/checked_part.hpp"

namespace troupe {

/// The objects of a driver that adds the gradients itself: all gradients, and the mean that it shares. The destructor
/// releases them.
class DriverGradients {
 public:
  /// Creates the slab of the mean.
  DriverGradients(StoreClient& store, const SlabLayout& layout)
      : size_(layout.size),
        held_(store),
        mean_(held_.create_sealed(layout.id(ObjectKind::mean_gradient, 0), layout.bytes())),
        gradients_(store, layout) {}
  /// Maps the gradients like `AllGradients::map`.
  void map(const std::vector<std::vector<std::uint64_t>>& made_for, std::chrono::milliseconds timeout) {
    gradients_.map(made_for, timeout);
  }

  const Gradients& all() const { return gradients_.all(); }
  const Gradients& backups() const { return gradients_.backups(); }
  std::span<float> mean() const { return checked_first(mean_->writable_floats(), size_); }

 private:
  std::size_t size_;
  HeldObjects held_;
  std::shared_ptr<Mapping> mean_;
  AllGradients gradients_;
};

}  // namespace troupe
