#pragma once

#include <cstddef>
#include <span>

#include "collectives/group/collective.hpp"

// Collectives on vectors that are short enough for each rank to store its own next to its call record.
namespace troupe {

/// Returns the number of bytes that a rank stores there.
std::size_t short_bytes(const Collective& call, int rank, int size);

/// Computes a rank's whole result from the vectors of all ranks.
/// @param vectors pointers to the beginning of each rank's vector, in order; this call changes them
/// @param ranks one range per rank, from `each_rank`
void take_short(const Collective& call, int rank, std::span<const std::byte*> vectors, std::span<const Range> ranks);

}  // namespace troupe
