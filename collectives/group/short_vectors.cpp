#include "collectives/group/short_vectors.hpp"

#include "collectives/group/elements.hpp"
#include "collectives/group/memory.hpp"

namespace troupe {

std::size_t short_bytes(const Collective& call, int rank, int size) {
  if (call.kind == Collective::Kind::all_gather) return part_bytes(call, rank, size).size();
  if (call.kind == Collective::Kind::broadcast && call.root != rank) return 0;
  return call.count * bytes_of(call.type);
}

void take_short(const Collective& call, int rank, std::span<const std::byte*> vectors, std::span<const Range> ranks) {
  using Kind = Collective::Kind;
  const auto size = static_cast<int>(vectors.size());
  const auto make = [&](const Range& bytes) {
    for (const std::byte*& each : vectors) each += bytes.begin;
    reduce_elements(call.type, call.op, ranks, vectors.data(), bytes.size() / bytes_of(call.type),
                    bytes_at(call.out, 0));
  };
  switch (call.kind) {
    case Kind::barrier:
      return;
    case Kind::all_reduce:
      return make({0, call.count * bytes_of(call.type)});
    case Kind::reduce_scatter:
      return make(part_bytes(call, rank, size));
    case Kind::broadcast:
      return copy_bytes(bytes_at(call.out, 0), vectors[static_cast<std::size_t>(call.root)],
                        call.count * bytes_of(call.type));
    case Kind::all_gather:
      for (int each = 0; each < size; ++each) {
        const Range theirs = part_bytes(call, each, size);
        copy_bytes(bytes_at(call.out, theirs.begin), vectors[static_cast<std::size_t>(each)], theirs.size());
      }
  }
}

}  // namespace troupe
