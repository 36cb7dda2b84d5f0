#pragma once

#include <compare>
#include <cstdint>
#include <functional>
#include <string>

namespace troupe {

enum class ObjectKind : std::uint32_t {
  gradient = 1,     ///< the gradient of one shard
  mean_gradient,    ///< the reduced gradient (strategy "driver")
  weights,          ///< one of the two buffers of the weights
  optimizer_state,  ///< one of the two buffers of one of the optimizer's vectors
  transfer,         ///< weights on their way between the driver and a model
  partial,          ///< sums that other nodes send to the owner of a slice
};

/// Says what an object holds, so that publishing it twice is harmless.
struct ObjectId {
  std::uint64_t run = 0;
  std::uint64_t generation = 0;  ///< membership it belongs to
  std::uint64_t step = 0;
  ObjectKind kind = ObjectKind::gradient;
  std::uint32_t shard = 0;   ///< or buffer, where there are no shards
  std::uint32_t bucket = 0;  ///< or vector of the optimizer's state
  std::uint32_t reserved = 0;

  auto operator<=>(const ObjectId&) const = default;
};

/// Such as "gradient of shard 3 (generation 1)".
std::string to_string(const ObjectId& id);

}  // namespace troupe
