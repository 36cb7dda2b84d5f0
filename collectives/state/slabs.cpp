#include "collectives/state/slabs.hpp"

#include "troupe/error.hpp"

namespace troupe {
namespace {

void release_all(StoreClient& store, const std::vector<ObjectId>& held) noexcept {
  for (const ObjectId& id : held) {
    try {
      store.release(id);
    } catch (const Error&) {
      return;  // The store is gone, and what it held with it.
    }
  }
}

}  // namespace

ObjectId SlabLayout::id(ObjectKind kind, int number, int buffer) const {
  ObjectId id;
  id.run = run;
  id.generation = generation;
  id.kind = kind;
  id.number = static_cast<std::uint64_t>(number);
  id.buffer = static_cast<std::uint32_t>(buffer);
  return id;
}

std::size_t SlabLayout::bytes() const { return (size * sizeof(float) + kPageBytes - 1) / kPageBytes * kPageBytes; }

SharedSlabs::SharedSlabs(StoreClient& store, const SlabLayout& layout) : store_(store), layout_(layout) {
  try {
    states_.resize(static_cast<std::size_t>(layout.state_vectors));
    for (int buffer = 0; buffer < 2; ++buffer) {
      const auto b = static_cast<std::size_t>(buffer);
      weights_[b] = create(ObjectKind::vector, 0, buffer, true);
      for (std::size_t vector = 0; vector < states_.size(); ++vector)
        states_[vector][b] = create(ObjectKind::vector, static_cast<int>(vector) + 1, buffer, true);
    }
    if (layout.mean_gradient) {
      mean_gradient_ = create(ObjectKind::mean_gradient, 0, 0, false);
      store_.seal(held_.back());
    }
  } catch (...) {
    release_all(store_, held_);
    throw;
  }
}

SharedSlabs::~SharedSlabs() { release_all(store_, held_); }

std::shared_ptr<Mapping> SharedSlabs::create(ObjectKind kind, int number, int buffer, bool shared_writers) {
  const ObjectId id = layout_.id(kind, number, buffer);
  auto mapping = store_.create(id, layout_.bytes(), {.shared_writers = shared_writers});
  held_.push_back(id);
  return mapping;
}

void SharedSlabs::seal() {
  for (const ObjectId& id : held_) store_.seal(id);
}

void SharedSlabs::map_gradients(std::chrono::milliseconds timeout) {
  for (int shard = 0; shard < layout_.num_shards; ++shard) {
    const ObjectId id = layout_.id(ObjectKind::gradient, shard);
    gradient_maps_.push_back(store_.get(id, timeout));
    held_.push_back(id);
    gradients_.push_back(gradient_maps_.back()->floats().first(layout_.size));
  }
}

std::span<float> SharedSlabs::weights(int buffer) const {
  return weights_[static_cast<std::size_t>(buffer)]->writable_floats().first(layout_.size);
}

std::span<float> SharedSlabs::state(int vector, int buffer) const {
  const auto& buffers = states_[static_cast<std::size_t>(vector)];
  return buffers[static_cast<std::size_t>(buffer)]->writable_floats().first(layout_.size);
}

std::span<float> SharedSlabs::mean_gradient() const { return mean_gradient_->writable_floats().first(layout_.size); }

WorkerSlabs::WorkerSlabs(StoreClient& store, const SlabLayout& layout, const std::vector<int>& shards,
                         const Range& slice, bool contributes)
    : store_(store),
      layout_(layout),
      slice_(slice),
      contributes_(contributes),
      own_gradients_(static_cast<std::size_t>(layout.num_shards)) {
  try {
    for (const int shard : shards) {
      const ObjectId id = layout_.id(ObjectKind::gradient, shard);
      own_gradients_[static_cast<std::size_t>(shard)] = store_.create(id, layout_.bytes());
      held_.push_back(id);
      store_.seal(id);
    }
    state_slices_.resize(static_cast<std::size_t>(layout.state_vectors));
    for (int buffer = 0; buffer < 2 && !slice_.empty(); ++buffer) {
      const auto b = static_cast<std::size_t>(buffer);
      weights_slices_[b] = open_slice(0, buffer);
      for (std::size_t vector = 0; vector < state_slices_.size(); ++vector)
        state_slices_[vector][b] = open_slice(static_cast<int>(vector) + 1, buffer);
    }
  } catch (...) {
    release_all(store_, held_);
    throw;
  }
}

WorkerSlabs::~WorkerSlabs() { release_all(store_, held_); }

void WorkerSlabs::map_others(std::chrono::milliseconds timeout) {
  for (int buffer = 0; buffer < 2; ++buffer)
    weights_[static_cast<std::size_t>(buffer)] = get(layout_.id(ObjectKind::vector, 0, buffer), timeout);
  if (slice_.empty() && !contributes_) return;
  if (layout_.mean_gradient) {
    source_maps_.push_back(get(layout_.id(ObjectKind::mean_gradient, 0), timeout));
    sources_.push_back(source_maps_.back()->floats().first(layout_.size));
    return;
  }
  sources_.resize(static_cast<std::size_t>(layout_.num_shards));
  for (int shard = layout_.first_shard; shard < layout_.end_shard; ++shard) {
    const auto& own = own_gradients_[static_cast<std::size_t>(shard)];
    source_maps_.push_back(own ? own : get(layout_.id(ObjectKind::gradient, shard), timeout));
    sources_[static_cast<std::size_t>(shard)] = source_maps_.back()->floats().first(layout_.size);
  }
}

std::span<float> WorkerSlabs::gradient(int shard) const {
  return own_gradients_[static_cast<std::size_t>(shard)]->writable_floats().first(layout_.size);
}

std::span<const float> WorkerSlabs::weights(int buffer) const {
  return weights_[static_cast<std::size_t>(buffer)]->floats().first(layout_.size);
}

std::span<float> WorkerSlabs::weights_slice(int buffer, const Range& range) const {
  return part(weights_slices_[static_cast<std::size_t>(buffer)], range);
}

std::span<float> WorkerSlabs::state_slice(int vector, int buffer, const Range& range) const {
  return part(state_slices_[static_cast<std::size_t>(vector)][static_cast<std::size_t>(buffer)], range);
}

std::span<float> WorkerSlabs::part(const std::shared_ptr<Mapping>& mapping, const Range& range) const {
  return mapping->writable_floats().subspan(range.begin - slice_.begin, range.size());
}

std::shared_ptr<Mapping> WorkerSlabs::get(const ObjectId& id, std::chrono::milliseconds timeout) {
  auto mapping = store_.get(id, timeout);
  held_.push_back(id);
  return mapping;
}

std::shared_ptr<Mapping> WorkerSlabs::open_slice(int vector, int buffer) {
  const ObjectId id = layout_.id(ObjectKind::vector, vector, buffer);
  const std::size_t pages = (slice_.size() + kPageFloats - 1) / kPageFloats;
  auto mapping = store_.open(id, slice_.begin * sizeof(float), pages * kPageBytes);
  held_.push_back(id);
  return mapping;
}

}  // namespace troupe
