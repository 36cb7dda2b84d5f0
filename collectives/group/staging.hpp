#pragma once

#include <cstddef>

#include "collectives/group/collective.hpp"

namespace troupe {

/// The memory of one machine through which long vectors pass, chunk by chunk. It contains one chunk for each rank of
/// the machine, followed by a slice of the result for each rank of the group.
struct Staging {
  std::byte* memory = nullptr;
  std::size_t piece_bytes = 0;  ///< size of the place for one slice of the result: whole cache lines
  int size = 1;                 ///< number of ranks in the group
  Range local = {};             ///< the ranks of this machine

  /// Returns the number of bytes of such a memory.
  static std::size_t bytes(std::size_t piece_bytes, int size, const Range& local) {
    return (local.size() + 1) * static_cast<std::size_t>(size) * piece_bytes;
  }
  std::size_t chunk_bytes() const { return static_cast<std::size_t>(size) * piece_bytes; }
  /// Returns the chunk of a rank on this machine.
  std::byte* chunk_of(int rank) const {
    return memory + (static_cast<std::size_t>(rank) - local.begin) * chunk_bytes();
  }
  /// Returns the place of the slice of the result that `rank` computes. The rank may be on any machine.
  std::byte* made_by(int rank) const {
    return memory + local.size() * chunk_bytes() + static_cast<std::size_t>(rank) * piece_bytes;
  }
};

}  // namespace troupe
