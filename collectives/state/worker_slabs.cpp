#include "collectives/state/worker_slabs.hpp"

namespace troupe {

WorkerSlabs::WorkerSlabs(StoreClient& store, const SlabLayout& layout, const Range& shards, const Range& slice,
                         bool contributes)
    : store_(store),
      layout_(layout),
      shards_(shards),
      slice_(slice),
      contributes_(contributes),
      held_(store),
      slices_(static_cast<std::size_t>(layout.vectors)) {
  for (std::size_t shard = shards.begin; shard < shards.end; ++shard)
    own_gradients_.push_back(
        held_.create_sealed(layout.id(ObjectKind::gradient, static_cast<int>(shard)), layout_.bytes()));
  for (int vector = 0; vector < layout.vectors && !slice_.empty(); ++vector)
    for (int buffer = 0; buffer < layout.buffers; ++buffer)
      slices_[static_cast<std::size_t>(vector)].push_back(open_slice(vector, buffer));
}

void WorkerSlabs::map_others(std::chrono::milliseconds timeout) {
  for (int buffer = 0; buffer < layout_.buffers; ++buffer)
    weights_.push_back(held_.get(layout_.vector_id(kWeightsVector, buffer), timeout));
  if (slice_.empty() && !contributes_) return;
  if (layout_.mean_gradient) {
    source_maps_.push_back(held_.get(layout_.id(ObjectKind::mean_gradient, 0), timeout));
    sources_.push_back(source_maps_.back()->floats().first(layout_.size));
    return;
  }
  sources_.resize(static_cast<std::size_t>(layout_.num_shards));
  for (std::size_t shard = layout_.shards.begin; shard < layout_.shards.end; ++shard) {
    const bool own = shard >= shards_.begin && shard < shards_.end;
    source_maps_.push_back(own ? own_gradient(static_cast<int>(shard))
                               : held_.get(layout_.id(ObjectKind::gradient, static_cast<int>(shard)), timeout));
    sources_[shard] = source_maps_.back()->floats().first(layout_.size);
  }
}

const std::shared_ptr<Mapping>& WorkerSlabs::own_gradient(int shard) const {
  return own_gradients_.at(static_cast<std::size_t>(shard) - shards_.begin);
}

std::span<float> WorkerSlabs::gradient(int shard) const {
  return own_gradient(shard)->writable_floats().first(layout_.size);
}

std::span<const float> WorkerSlabs::weights(int buffer) const {
  return weights_.at(static_cast<std::size_t>(buffer))->floats().first(layout_.size);
}

std::shared_ptr<Mapping> WorkerSlabs::map_vector(int vector, int buffer, std::chrono::milliseconds timeout) const {
  const ObjectId id = layout_.vector_id(vector, buffer);
  auto mapping = store_.get(id, timeout);
  store_.release(id);
  return mapping;
}

std::span<float> WorkerSlabs::slice_of(int vector, int buffer, const Range& range) const {
  const auto& mapping = slices_.at(static_cast<std::size_t>(vector)).at(static_cast<std::size_t>(buffer));
  return mapping->writable_floats().subspan(range.begin - slice_.begin, range.size());
}

std::shared_ptr<Mapping> WorkerSlabs::open_slice(int vector, int buffer) {
  const std::size_t pages = (slice_.size() + kPageFloats - 1) / kPageFloats;
  return held_.open(layout_.vector_id(vector, buffer), slice_.begin * sizeof(float), pages * kPageBytes);
}

}  // namespace troupe
