#include "collectives/state/slab_layout.hpp"

#include <algorithm>

#include "runtime/processes/memory.hpp"
#include "troupe/error.hpp"

namespace troupe {

void StateShape::check() const {
  constexpr std::int32_t kMost = 1 << 20;
  for (const std::int32_t number : {vectors - 1, singles, per_shard, parts - 1, spares + 1})
    if (number < 0 || number > kMost) throw Error(ErrorCode::protocol, "a state of a shape that cannot be");
}

PlanRequest plan_for(PlanRequest request, const StateShape& state) {
  request.topology.num_shards *= state.parts;
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
