#pragma once

#include <memory>
#include <span>
#include <vector>

#include "collectives/state/all_gradients.hpp"
#include "collectives/state/versioned_state.hpp"
#include "runtime/store/checked_part.hpp"

namespace troupe {

/// The data of the parameter servers of one store. It consists of the state, the gradients that workers push, and one
/// flat vector of served weights for each worker in `SlabLayout::served`. The servers copy weights into the vector of a
/// worker, and only this worker reads the vector.
class ServedState {
 public:
  /// Creates and publishes one slab of served weights for each worker in `SlabLayout::served`.
  ServedState(StoreClient& store, std::shared_ptr<const VersionedState> state)
      : state_(std::move(state)), held_(store), gradients_(store, state_->layout()) {
    for (std::size_t rank = layout().served.begin; rank < layout().served.end; ++rank)
      served_.push_back(held_.create_sealed(layout().id(ObjectKind::served, static_cast<int>(rank)), layout().bytes()));
  }
  /// Maps the gradients of the shards in this store, like `AllGradients::map`.
  void map(const std::vector<std::vector<std::uint64_t>>& made_for, std::chrono::milliseconds timeout) {
    gradients_.map(made_for, timeout);
  }

  const SlabLayout& layout() const { return state_->layout(); }
  std::span<float> vector(int vector, int buffer) const { return state_->vector(vector, buffer); }
  /// Returns, by shard, the gradients that workers write. The span is empty if the shard's gradient is in another
  /// store.
  const Gradients& gradients() const { return gradients_.all(); }
  /// Returns the memory of the weights that are served to the worker with the rank `rank`, for writing.
  std::span<float> served(int rank) const {
    return checked_first(served_.at(static_cast<std::size_t>(rank) - layout().served.begin)->writable_floats(),
                         layout().size);
  }

 private:
  std::shared_ptr<const VersionedState> state_;
  HeldObjects held_;
  std::vector<std::shared_ptr<Mapping>> served_;
  AllGradients gradients_;
};

}  // namespace troupe
