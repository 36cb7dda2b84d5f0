#pragma once

#include <chrono>
#include <functional>
#include <span>

#include "collectives/state/slab_layout.hpp"
#include "runtime/store/store_client.hpp"

namespace troupe {

/// Until an object of a transfer is there: all who are to write have published.
inline constexpr std::chrono::seconds kMapTimeout{10};

/// Fills the first `floats` floats of a transfer object that the driver or the node made.
inline void write_transfer(StoreClient& store, const ObjectId& id, std::size_t floats,
                           const std::function<void(std::span<float>)>& fill) {
  const auto mapping = store.open(id, 0, floats * sizeof(float));
  fill(mapping->writable_floats().first(floats));
  store.release(id);
}

}  // namespace troupe
