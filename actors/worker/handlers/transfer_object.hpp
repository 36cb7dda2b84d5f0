#pragma once

#include <chrono>
#include <functional>
#include <span>

#include "collectives/state/slab_layout.hpp"
#include "runtime/store/checked_part.hpp"
#include "runtime/store/store_client.hpp"

namespace troupe {

/// How long to wait for a transfer object: not at all. The object exists before the driver asks a worker to read it. It
/// disappears only when the driver has given up.
inline constexpr std::chrono::milliseconds kPublished{0};
/// How long to wait until another member's part of the state can be mapped.
inline constexpr std::chrono::seconds kMapTimeout{10};

/// Fills the first `floats` floats of a transfer object. The driver or the node has made the object.
inline void write_transfer(StoreClient& store, const ObjectId& id, std::size_t floats,
                           const std::function<void(std::span<float>)>& fill) {
  const auto mapping = store.open(id, 0, floats * sizeof(float));
  fill(checked_first(mapping->writable_floats(), floats));
  store.release(id);
}

}  // namespace troupe
