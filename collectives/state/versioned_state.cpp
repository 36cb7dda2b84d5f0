#include "collectives/state/versioned_state.hpp"

#include <algorithm>
#include <cstring>

#include "runtime/store/checked_part.hpp"

namespace troupe {

VersionedState::VersionedState(StoreClient& store, const SlabLayout& layout)
    : store_(store), layout_(layout), held_(store), vectors_(static_cast<std::size_t>(layout.num_vectors())) {
  for (int vector = 0; vector < layout.num_vectors(); ++vector)
    for (int buffer = 0; layout.is_here(vector) && buffer < layout.buffers_of(vector); ++buffer)
      vectors_[static_cast<std::size_t>(vector)].push_back(
          held_.create(layout.vector_id(vector, buffer), layout.bytes_of(vector), {.shared_writers = true}));
  for (int slab = 0; slab < layout.dealt_slabs(); ++slab)
    held_.create(layout.dealt_id(slab), layout.bytes(), {.shared_writers = true});
}

void VersionedState::carry(const VersionedState& from, const std::vector<int>& buffers) {
  const SlabLayout& before = from.layout_;
  const bool same = static_cast<const StateShape&>(before) == layout_ && before.num_shards == layout_.num_shards;
  for (int vector = 0; vector < (same ? layout_.num_vectors() : 1); ++vector) {
    if (!layout_.is_here(vector) || !before.is_here(vector) || before.range_of(vector) != layout_.range_of(vector))
      continue;
    const bool single = layout_.is_single(vector);
    for (std::size_t buffer = 0; buffer < (single ? 1 : buffers.size()); ++buffer)
      std::ranges::copy(from.vector(vector, single ? 0 : buffers[buffer]),
                        this->vector(vector, static_cast<int>(buffer)).begin());
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
  return checked_first(buffers.at(static_cast<std::size_t>(buffer))->writable_floats(),
                       layout_.range_of(vector).size());
}

void VersionedState::place(std::span<const float> flat, int vector, int buffer) const {
  const auto to = this->vector(vector, buffer);
  std::memcpy(to.data(), flat.data() + layout_.range_of(vector).begin, to.size_bytes());
}

void VersionedState::clear(int buffer) const {
  for (int vector = kWeightsVector + 1; vector < layout_.num_vectors(); ++vector) {
    if (!layout_.is_here(vector) || layout_.is_single(vector)) continue;
    const auto state = this->vector(vector, buffer);
    std::fill(state.begin(), state.end(), 0.0F);
  }
}

}  // namespace troupe
