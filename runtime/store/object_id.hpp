#pragma once

#include <compare>
#include <cstdint>
#include <string>

namespace troupe {

enum class ObjectKind : std::uint32_t {
  gradient = 1,   ///< of a shard
  mean_gradient,  ///< the reduced gradient (strategy "driver")
  vector,         ///< a buffer of the weights, which are vector 0, or of one of the optimizer's vectors
  transfer,       ///< a vector or texts on their way between the driver and a worker
  partial,        ///< sums that other nodes send to a lane that owns a slice
  served,         ///< weights as a parameter server has served them to a worker
  data,           ///< samples that processes of a machine share; part 0 says how many bytes part 1 has
  group,          ///< where ranks meet; part 1 says that part 0 can be used, part 2 is for long vectors
};

/// Says what an object holds, so that publishing it twice is harmless.
struct ObjectId {
  std::uint64_t run = 0;
  std::uint64_t generation = 0;  ///< membership it belongs to
  std::uint64_t number = 0;      ///< of the shard, the vector, the transfer, the lane or the data
  ObjectKind kind = ObjectKind::gradient;
  std::uint32_t buffer = 0;  ///< of a vector; part of the data

  auto operator<=>(const ObjectId&) const = default;
};

/// Such as "gradient of shard 3 (generation 1)".
std::string to_string(const ObjectId& id);

}  // namespace troupe
