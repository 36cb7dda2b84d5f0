#include "collectives/state/versioned_state.hpp"

#include <algorithm>
#include <cstring>

namespace troupe {

VersionedState::VersionedState(StoreClient& store, const SlabLayout& layout)
    : store_(store), layout_(layout), held_(store), vectors_(static_cast<std::size_t>(layout.num_vectors())) {
  for (int vector = 0; vector < layout.num_vectors(); ++vector)
    for (int buffer = 0; layout.is_here(vector) && buffer < layout.buffers_of(vector); ++buffer)
      vectors_[static_cast<std::size_t>(vector)].push_back(
          held_.create(layout.vector_id(vector, buffer), layout.bytes(), {.shared_writers = true}));
  for (int slab = 0; slab < layout.dealt_slabs(); ++slab)
    held_.create(layout.dealt_id(slab), layout.bytes(), {.shared_writers = true});
}

void VersionedState::carry(const VersionedState& from, const std::vector<int>& buffers) {
  const bool same =
      static_cast<const StateShape&>(from.layout_) == layout_ && from.layout_.num_shards == layout_.num_shards;
  for (int vector = 0; vector < (same ? layout_.num_vectors() : 1); ++vector) {
    const std::size_t count = layout_.is_single(vector) ? 1 : buffers.size();
    const bool there = layout_.is_here(vector) && from.layout_.is_here(vector);
    for (std::size_t buffer = 0; there && buffer < count; ++buffer)
      place(from.vector(vector, layout_.is_single(vector) ? 0 : buffers[buffer]), vector, static_cast<int>(buffer));
  }
}

void VersionedState::publish() {
  for (int vector = 0; vector < layout_.num_vectors(); ++vector)
    for (int buffer = 0; layout_.is_here(vector) && buffer < layout_.buffers_of(vector); ++buffer)
      store_.seal(layout_.vector_id(vector, buffer));
  for (int slab = 0; slab < layout_.dealt_slabs(); ++slab) store_.seal(layout_.dealt_id(slab));
}

std::span<float> VersionedState::vector(int vector, int buffer) const {
  if (layout_.is_single(vector)) buffer = 0;
  const auto& buffers = vectors_.at(static_cast<std::size_t>(vector));
  return buffers.at(static_cast<std::size_t>(buffer))->writable_floats().first(layout_.size);
}

void VersionedState::place(std::span<const float> flat, int vector, int buffer) const {
  const auto to = this->vector(vector, buffer);
  std::memcpy(to.data(), flat.data(), to.size_bytes());
}

void VersionedState::clear(int buffer) const {
  for (int vector = kWeightsVector + 1; vector < layout_.num_vectors(); ++vector) {
    if (!layout_.is_here(vector)) continue;
    const auto state = this->vector(vector, buffer);
    std::fill(state.begin(), state.end(), 0.0F);
  }
}

}  // namespace troupe
