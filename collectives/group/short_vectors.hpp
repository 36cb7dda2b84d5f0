#pragma once

#include <cstddef>
#include <span>

#include "collectives/group/collective.hpp"

// Collectives on short vectors. Each rank sends its vector together with its call record.
namespace troupe {

/// Returns the number of bytes of its vector that `rank` must send with its call record.
/// @param size the number of ranks in the group
std::size_t short_bytes(const Collective& call, int rank, int size);

/// Computes the result of `rank` from the vectors of all ranks, and writes it to `call.out`.
/// @param vectors pointers to the vectors that the ranks sent, in order of rank; this call may change these pointers
/// @param ranks one range per rank, from `each_rank`
void take_short(const Collective& call, int rank, std::span<const std::byte*> vectors, std::span<const Range> ranks);

}  // namespace troupe
