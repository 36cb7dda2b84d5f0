#pragma once

#include <cstddef>

#include "collectives/group/collective.hpp"

namespace troupe {

/// Memory of one machine through which long vectors pass, piece by piece. It holds one chunk for each rank of the
/// machine, and for each rank of the group its slice of the result.
struct Staging {
  std::byte* memory = nullptr;
  std::size_t piece_bytes = 0;  ///< size of one rank's slice: whole cache lines
  int size = 1;                 ///< of the group
  Range local = {};             ///< the ranks of this machine

  static std::size_t bytes(std::size_t piece_bytes, int size, const Range& local) {
    return (local.size() + 1) * static_cast<std::size_t>(size) * piece_bytes;
  }
  std::size_t chunk_bytes() const { return static_cast<std::size_t>(size) * piece_bytes; }
  /// Returns the chunk of a rank on this machine.
  std::byte* chunk_of(int rank) const {
    return memory + (static_cast<std::size_t>(rank) - local.begin) * chunk_bytes();
  }
  /// Returns the slice of the result of any rank.
  std::byte* made_by(int rank) const {
    return memory + local.size() * chunk_bytes() + static_cast<std::size_t>(rank) * piece_bytes;
  }
};

}  // namespace troupe
