#pragma once

#include <cstddef>

#include "collectives/group/collective.hpp"

namespace troupe {

/// The memory of one machine through which the ranks exchange long vectors, block by block. A block is a part of a
/// vector, and consists of one piece for each rank of the group (the names of functions call a block a chunk). The
/// memory contains one block for each rank of the machine, and then a place for the result of each rank of the group. A
/// rank's result is its slice: the part of the combined block that the rank computes.
struct Staging {
  std::byte* memory = nullptr;
  std::size_t piece_bytes = 0;  ///< size of the place for one slice of the result, in bytes: whole cache lines
  int size = 1;                 ///< number of ranks in the group
  Range local = {};             ///< the ranks of this machine

  /// Returns the number of bytes that the memory needs.
  static std::size_t bytes(std::size_t piece_bytes, int size, const Range& local) {
    return (local.size() + 1) * static_cast<std::size_t>(size) * piece_bytes;
  }
  std::size_t chunk_bytes() const { return static_cast<std::size_t>(size) * piece_bytes; }
  /// Returns the address of the block of `rank`, which must be on this machine.
  std::byte* chunk_of(int rank) const {
    return memory + (static_cast<std::size_t>(rank) - local.begin) * chunk_bytes();
  }
  /// Returns the address of the slice that `rank` computes. The rank may be on any machine.
  std::byte* made_by(int rank) const {
    return memory + local.size() * chunk_bytes() + static_cast<std::size_t>(rank) * piece_bytes;
  }
};

}  // namespace troupe
