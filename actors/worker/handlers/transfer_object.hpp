#pragma once

#include <chrono>
#include <functional>
#include <span>

#include "collectives/state/slab_layout.hpp"
#include "runtime/store/checked_part.hpp"
#include "runtime/store/store_client.hpp"

namespace troupe {

/// The time for which a worker waits for a transfer object that it must read. The time is zero, because the object
/// exists before the driver sends the request. If the object is missing, the driver has already given up the request.
inline constexpr std::chrono::milliseconds kPublished{0};
/// The maximum time for which a worker waits until it can map another member's part of the state.
inline constexpr std::chrono::seconds kMapTimeout{10};

/// Calls `fill` to write the first `floats` floats of the transfer object `id`, which the driver or the node has
/// created.
inline void write_transfer(StoreClient& store, const ObjectId& id, std::size_t floats,
                           const std::function<void(std::span<float>)>& fill) {
  const auto mapping = store.open(id, 0, floats * sizeof(float));
  fill(checked_first(mapping->writable_floats(), floats));
  store.release(id);
}

}  // namespace troupe
