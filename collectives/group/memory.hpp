#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>

#include "collectives/group/collective.hpp"
#include "runtime/store/store_client.hpp"

// Helpers for addresses and ranges in the memory through which the ranks of a group exchange vectors.
namespace troupe {

inline constexpr std::size_t kLineBytes = 64;

inline std::size_t rounded_up(std::size_t bytes, std::size_t to) { return (bytes + to - 1) / to * to; }

inline const std::byte* bytes_at(const void* memory, std::size_t offset) {
  return static_cast<const std::byte*>(memory) + offset;
}
inline std::byte* bytes_at(void* memory, std::size_t offset) { return static_cast<std::byte*>(memory) + offset; }

inline std::byte* bytes_of_mapping(const Mapping& mapping) {
  return reinterpret_cast<std::byte*>(mapping.writable_floats().data());
}

/// Copies `bytes` bytes from `from` to `to`. Does nothing if the two pointers are equal.
inline void copy_bytes(std::byte* to, const std::byte* from, std::size_t bytes) {
  if (bytes > 0 && to != from) std::memmove(to, from, bytes);
}

/// Divides a block of `bytes` bytes among `size` ranks, and returns the slice that `rank` reduces, as a range of bytes
/// of the block. Slices begin at multiples of a cache line (64 bytes).
inline Range slice_of_rank(std::size_t bytes, int rank, int size) {
  const Range lines = part_of_rank(rounded_up(bytes, kLineBytes) / kLineBytes, rank, size);
  return {std::min(lines.begin * kLineBytes, bytes), std::min(lines.end * kLineBytes, bytes)};
}

/// Returns the part of the vector of `call` that belongs to `rank` (`part_of_rank`), as a range of bytes.
inline Range part_bytes(const Collective& call, int rank, int size) {
  const Range part = part_of_rank(call.count, rank, size);
  return {part.begin * bytes_of(call.type), part.end * bytes_of(call.type)};
}

/// Returns the piece of `part` that starts `begin` bytes after the start of `part`. The piece has `piece_bytes` bytes,
/// or fewer at the end of `part`. `part` and the result are ranges of bytes of the whole vector.
inline Range piece_of(const Range& part, std::size_t begin, std::size_t piece_bytes) {
  const std::size_t from = std::min(part.begin + begin, part.end);
  return {from, std::min(from + piece_bytes, part.end)};
}

}  // namespace troupe
