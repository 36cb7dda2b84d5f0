#pragma once

#include <compare>
#include <cstdint>
#include <string>

namespace troupe {

/// What an object contains.
enum class ObjectKind : std::uint32_t {
  gradient = 1,   ///< gradient of a shard
  mean_gradient,  ///< mean of the gradients of all shards (strategy "driver" only)
  vector,         ///< a buffer of the weights (vector 0) or of an optimizer's vector
  transfer,       ///< a vector or texts on their way between the driver and a worker
  partial,        ///< partial sums that other nodes send to a lane that owns a slice
  served,         ///< weights that a parameter server has served to a worker
  data,           ///< samples that processes of a machine share; part 0 contains the size of part 1 in bytes
  group,  ///< memory of the collective operations of a group of ranks; sealed part 1 tells that part 0 is ready; part 2
          ///< is for long vectors
};

/// Identifies an object by its content. If an object is published twice, for example by a retry, both have the same
/// identity, and the second has no effect.
struct ObjectId {
  std::uint64_t run = 0;
  std::uint64_t generation = 0;  ///< the generation of the run, or the attempt of a function
  std::uint64_t number = 0;  ///< number of the shard, vector, transfer, lane, worker or data set, according to `kind`
  ObjectKind kind = ObjectKind::gradient;
  std::uint32_t buffer = 0;  ///< number of the buffer of a vector, or of the part of data or a group

  auto operator<=>(const ObjectId&) const = default;
};

/// Returns a text such as "gradient of shard 3 (generation 1)".
std::string to_string(const ObjectId& id);

}  // namespace troupe
