#include "collectives/state/driver_gradients.hpp"

namespace troupe {

DriverGradients::DriverGradients(StoreClient& store, const SlabLayout& layout)
    : layout_(layout),
      held_(store),
      mean_(held_.create_sealed(layout.id(ObjectKind::mean_gradient, 0), layout.bytes())) {}

void DriverGradients::map(const std::vector<std::uint64_t>& made_for, std::chrono::milliseconds timeout) {
  for (int shard = 0; shard < layout_.num_shards; ++shard) {
    const ObjectId id = layout_.gradient_id(shard, made_for.at(static_cast<std::size_t>(shard)));
    maps_.push_back(held_.get(id, timeout));
    gradients_.push_back(maps_.back()->floats().first(layout_.size));
  }
}

}  // namespace troupe
