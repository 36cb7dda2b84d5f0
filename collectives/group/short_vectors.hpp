#pragma once

#include <cstddef>
#include <span>

#include "collectives/group/collective.hpp"

// The implementation of collectives on short vectors, which a rank sends to the other ranks together with its call
// record.
namespace troupe {

/// Returns the number of bytes of its vector that `rank` must send together with its call record.
/// @param size the number of ranks in the group
std::size_t short_bytes(const Collective& call, int rank, int size);

/// Computes the result of `rank` from the vectors of all ranks, and writes it to `call.out`.
/// @param vectors by rank: a pointer to the vector that the rank has sent. This function may change the pointers
/// @param ranks the result of `each_rank`: one range per rank
void take_short(const Collective& call, int rank, std::span<const std::byte*> vectors, std::span<const Range> ranks);

}  // namespace troupe
