#pragma once

#include <chrono>
#include <functional>
#include <span>

#include "collectives/state/slab_layout.hpp"
#include "runtime/store/checked_part.hpp"
#include "runtime/store/store_client.hpp"

namespace troupe {

/// How long to wait for a transfer object: not at all, because the object exists before the driver asks a worker to
/// read it. If the object is missing, the driver has given up the request.
inline constexpr std::chrono::milliseconds kPublished{0};
/// How long to wait until another member's part of the state can be mapped.
inline constexpr std::chrono::seconds kMapTimeout{10};

/// Fills the first `floats` floats of a transfer object that the driver or the node has created.
inline void write_transfer(StoreClient& store, const ObjectId& id, std::size_t floats,
                           const std::function<void(std::span<float>)>& fill) {
  const auto mapping = store.open(id, 0, floats * sizeof(float));
  fill(checked_first(mapping->writable_floats(), floats));
  store.release(id);
}

}  // namespace troupe
