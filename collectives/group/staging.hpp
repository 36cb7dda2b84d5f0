#pragma once

#include <cstddef>

#include "collectives/group/collective.hpp"

namespace troupe {

/// Memory of one machine through which long vectors go, piece by piece: a chunk of each of its ranks, and what each
/// rank of the group makes of its slice of one.
struct Staging {
  std::byte* memory = nullptr;
  std::size_t piece_bytes = 0;  ///< that a rank makes: whole lines of the cache
  int size = 1;                 ///< of the group
  Range local = {};             ///< the ranks of this machine

  static std::size_t bytes(std::size_t piece_bytes, int size, const Range& local) {
    return (local.size() + 1) * static_cast<std::size_t>(size) * piece_bytes;
  }
  std::size_t chunk_bytes() const { return static_cast<std::size_t>(size) * piece_bytes; }
  /// Of a rank of this machine.
  std::byte* chunk_of(int rank) const {
    return memory + (static_cast<std::size_t>(rank) - local.begin) * chunk_bytes();
  }
  /// Of any rank.
  std::byte* made_by(int rank) const {
    return memory + local.size() * chunk_bytes() + static_cast<std::size_t>(rank) * piece_bytes;
  }
};

}  // namespace troupe
