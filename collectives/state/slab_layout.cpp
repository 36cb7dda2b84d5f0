#include "collectives/state/slab_layout.hpp"

#include <algorithm>
#include <limits>
#include <string>

#include "runtime/processes/memory.hpp"
#include "troupe/error.hpp"

namespace troupe {

void StateShape::check() const {
  constexpr std::int32_t kMostVectors = 1 << 10;
  constexpr std::int32_t kMostParts = 1 << 14;
  const auto check = [](std::int32_t number, std::int32_t least, std::int32_t most) {
    if (number < least || number > most)
      throw Error(ErrorCode::protocol, "a number in the shape of the state is out of range");
  };
  check(vectors, 1, kMostVectors);
  check(singles, 0, kMostVectors);
  check(per_shard, 0, kMostVectors);
  check(parts, 1, kMostParts);
  check(spares, -1, kMostParts);
}

PlanRequest plan_for(PlanRequest request, const StateShape& state) {
  constexpr std::int64_t kMostPortions = std::int64_t{1} << 21;
  const std::int64_t portions = std::int64_t{request.topology.num_shards} * state.parts;
  if (portions > kMostPortions || portions * state.per_shard > std::numeric_limits<std::int32_t>::max() / 2)
    throw Error(ErrorCode::protocol, "the run has too many portions");
  request.topology.num_shards = static_cast<std::int32_t>(portions);
  request.in_pieces = state.deals();
  return request;
}

ObjectId SlabLayout::id(ObjectKind kind, int number, int buffer) const {
  ObjectId id;
  id.run = run;
  id.generation = generation;
  id.kind = kind;
  id.number = static_cast<std::uint64_t>(number);
  id.buffer = static_cast<std::uint32_t>(buffer);
  return id;
}

Gradients replaced(Gradients gradients, const std::vector<Range>& shards, const Gradients& others) {
  for (const Range& range : shards)
    for (std::size_t shard = range.begin; shard < range.end; ++shard) gradients.at(shard) = others.at(shard);
  return gradients;
}

ObjectId SlabLayout::gradient_id(GradientOf whose, std::size_t shard, std::uint64_t made_for) const {
  ObjectId of_it = id(ObjectKind::gradient, static_cast<int>(shard), static_cast<int>(whose));
  of_it.generation = made_for;
  return of_it;
}

std::size_t SlabLayout::bytes() const { return (size * sizeof(float) + kPageBytes - 1) / kPageBytes * kPageBytes; }

std::size_t SlabLayout::bytes_of(int vector) const {
  return (range_of(vector).size() * sizeof(float) + kPageBytes - 1) / kPageBytes * kPageBytes;
}

std::size_t SlabLayout::versioned_bytes(int in_buffers) const {
  const std::size_t of_shards = data_shards().size() * static_cast<std::size_t>(per_shard);
  return bytes() * (static_cast<std::size_t>(vectors) + of_shards) * static_cast<std::size_t>(in_buffers);
}

bool SlabLayout::is_here(int vector) const {
  if (vector < 0 || vector >= num_vectors())
    throw Error(ErrorCode::protocol, "there is no vector " + std::to_string(vector));
  if (range_of(vector).empty()) return false;
  const int shard = shard_of(vector);
  const Range here = data_shards();
  return shard < 0 || (static_cast<std::size_t>(shard) >= here.begin && static_cast<std::size_t>(shard) < here.end);
}

std::vector<std::vector<std::uint64_t>> gradients_made_for(const Topology& topology, std::vector<std::uint64_t> by_lane,
                                                           std::size_t devices) {
  std::vector<std::vector<std::uint64_t>> both{topology.by_shard(by_lane)};
  std::rotate(by_lane.begin(), by_lane.begin() + static_cast<std::ptrdiff_t>(devices), by_lane.end());
  both.push_back(topology.by_shard(by_lane));
  return both;
}

ObjectId transfer_id(std::uint64_t run, std::uint64_t number) {
  ObjectId id;
  id.run = run;
  id.number = number;
  id.kind = ObjectKind::transfer;
  return id;
}

}  // namespace troupe
