#include "collectives/state/versioned_state.hpp"

#include <algorithm>
#include <cstring>

namespace troupe {

VersionedState::VersionedState(StoreClient& store, const SlabLayout& layout)
    : store_(store), layout_(layout), held_(store), vectors_(static_cast<std::size_t>(layout.vectors)) {
  for (int vector = 0; vector < layout.vectors; ++vector)
    for (int buffer = 0; buffer < layout.buffers; ++buffer)
      vectors_[static_cast<std::size_t>(vector)].push_back(
          held_.create(layout.vector_id(vector, buffer), layout.bytes(), {.shared_writers = true}));
}

void VersionedState::carry(const VersionedState& from, const std::vector<int>& buffers) {
  for (int vector = 0; vector < layout_.vectors; ++vector)
    for (std::size_t buffer = 0; buffer < buffers.size(); ++buffer)
      place(from.vector(vector, buffers[buffer]), vector, static_cast<int>(buffer));
}

void VersionedState::publish() {
  for (int vector = 0; vector < layout_.vectors; ++vector)
    for (int buffer = 0; buffer < layout_.buffers; ++buffer) store_.seal(layout_.vector_id(vector, buffer));
}

std::span<float> VersionedState::vector(int vector, int buffer) const {
  const auto& buffers = vectors_.at(static_cast<std::size_t>(vector));
  return buffers.at(static_cast<std::size_t>(buffer))->writable_floats().first(layout_.size);
}

void VersionedState::place(std::span<const float> flat, int vector, int buffer) const {
  const auto to = this->vector(vector, buffer);
  std::memcpy(to.data(), flat.data(), to.size_bytes());
}

void VersionedState::clear(int buffer) const {
  for (int vector = kWeightsVector + 1; vector < layout_.vectors; ++vector) {
    const auto state = this->vector(vector, buffer);
    std::fill(state.begin(), state.end(), 0.0F);
  }
}

}  // namespace troupe
