#pragma once

#include <compare>
#include <cstdint>
#include <string>

namespace troupe {

/// The kind of content that an object of the object store has.
enum class ObjectKind : std::uint32_t {
  gradient = 1,   ///< gradient of a shard
  mean_gradient,  ///< mean of the gradients of all shards; only with the strategy "driver"
  vector,         ///< one buffer of a vector of the state: the weights (vector 0) or an optimizer's vector
  transfer,       ///< a vector or texts on their way between the driver and a worker
  partial,        ///< partial sums of gradients that other nodes send to the lane that owns a slice
  served,         ///< weights that a parameter server has served to a worker
  /// Samples that the processes of a machine share: part 1 contains the samples, and part 0 the size of part 1 in
  /// bytes.
  data,
  /// Memory for the collective operations of a group of ranks. Part 0 contains the barrier of the ranks, and part 2 is
  /// for long vectors. Part 1 is sealed once part 0 is ready.
  group,
};

/// The name of an object, which identifies the object by its content. A retry may publish the same content a second
/// time. Both objects then have the same name, and the second request has no effect.
struct ObjectId {
  std::uint64_t run = 0;
  std::uint64_t generation = 0;  ///< the generation of the run, or the attempt of a call of a user's function
  /// Number of the shard, vector, transfer, lane, worker or data set; `kind` determines which.
  std::uint64_t number = 0;
  ObjectKind kind = ObjectKind::gradient;
  std::uint32_t buffer = 0;  ///< for a vector: number of the buffer; for data and groups: number of the part

  auto operator<=>(const ObjectId&) const = default;
};

/// Returns the name of an object as a text for messages, such as "gradient of shard 3 (generation 1)".
std::string to_string(const ObjectId& id);

}  // namespace troupe
