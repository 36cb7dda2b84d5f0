#include "collectives/state/slab_layout.hpp"

#include "runtime/processes/memory.hpp"

namespace troupe {

ObjectId SlabLayout::id(ObjectKind kind, int number, int buffer) const {
  ObjectId id;
  id.run = run;
  id.generation = generation;
  id.kind = kind;
  id.number = static_cast<std::uint64_t>(number);
  id.buffer = static_cast<std::uint32_t>(buffer);
  return id;
}

ObjectId SlabLayout::gradient_id(int shard, std::uint64_t made_for) const {
  ObjectId of_it = id(ObjectKind::gradient, shard);
  of_it.generation = made_for;
  return of_it;
}

std::size_t SlabLayout::bytes() const { return (size * sizeof(float) + kPageBytes - 1) / kPageBytes * kPageBytes; }

std::size_t SlabLayout::state_bytes(int in_buffers) const {
  return bytes() * static_cast<std::size_t>(vectors) * static_cast<std::size_t>(in_buffers);
}

ObjectId transfer_id(std::uint64_t run, std::uint64_t number) {
  ObjectId id;
  id.run = run;
  id.number = number;
  id.kind = ObjectKind::transfer;
  return id;
}

}  // namespace troupe
