#pragma once

#include <chrono>
#include <functional>
#include <span>

#include "collectives/state/slab_layout.hpp"
#include "runtime/store/checked_part.hpp"
#include "runtime/store/store_client.hpp"

namespace troupe {

/// Until an object of a transfer can be mapped: it is there before anybody is asked to read it, and gone when the
/// driver has given up.
inline constexpr std::chrono::milliseconds kPublished{0};
/// Until another member's part of the state can be mapped.
inline constexpr std::chrono::seconds kMapTimeout{10};

/// Fills the first `floats` floats of a transfer object that the driver or the node made.
inline void write_transfer(StoreClient& store, const ObjectId& id, std::size_t floats,
                           const std::function<void(std::span<float>)>& fill) {
  const auto mapping = store.open(id, 0, floats * sizeof(float));
  fill(checked_first(mapping->writable_floats(), floats));
  store.release(id);
}

}  // namespace troupe
