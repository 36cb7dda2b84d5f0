#pragma once

#include <compare>
#include <cstdint>
#include <string>

namespace troupe {

enum class ObjectKind : std::uint32_t {
  gradient = 1,   ///< gradient of a shard
  mean_gradient,  ///< the reduced gradient (strategy "driver")
  vector,         ///< a buffer of the weights (vector 0) or of one of the optimizer's vectors
  transfer,       ///< a vector or texts on their way between the driver and a worker
  partial,        ///< sums that other nodes send to a lane that owns a slice
  served,         ///< weights that a parameter server has served to a worker
  data,           ///< samples that processes of a machine share; part 0 contains the size of part 1 in bytes
  group,          ///< where ranks meet; part 1 tells that part 0 is usable, part 2 is for long vectors
};

/// Identifies an object by its content, so that publishing an object twice is harmless.
struct ObjectId {
  std::uint64_t run = 0;
  std::uint64_t generation = 0;  ///< generation of the membership
  std::uint64_t number = 0;      ///< number of the shard, vector, transfer, lane or data
  ObjectKind kind = ObjectKind::gradient;
  std::uint32_t buffer = 0;  ///< buffer of a vector, or part of the data

  auto operator<=>(const ObjectId&) const = default;
};

/// Returns a text such as "gradient of shard 3 (generation 1)".
std::string to_string(const ObjectId& id);

}  // namespace troupe
