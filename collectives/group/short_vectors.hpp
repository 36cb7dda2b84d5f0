#pragma once

#include <cstddef>
#include <span>

#include "collectives/group/collective.hpp"

// Collectives of vectors so short that each rank lays its own beside its call.
namespace troupe {

/// How much of its vector a rank lays there.
std::size_t short_bytes(const Collective& call, int rank, int size);

/// Makes a rank's whole result of what all have laid there.
/// @param vectors where those of each rank begin, in order; which this moves
/// @param ranks each by itself, as `each_rank` makes them
void take_short(const Collective& call, int rank, std::span<const std::byte*> vectors, std::span<const Range> ranks);

}  // namespace troupe
