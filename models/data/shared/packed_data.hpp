#pragma once

#include "models/data/shared/shared_memory.hpp"
#include "troupe/data.hpp"

namespace troupe {

/// Returns content for SharedMemory from which other processes of this machine can recreate `data`: a text that
/// describes the sets and the layout of their arrays, followed by the arrays. Returns empty content if a set is not a
/// Dataset, because other sets do not have their samples in memory.
SharedMemory::Content pack(const TrainingData& data);

/// Recreates and returns the data from content that `pack` made. The arrays of the data are views of `packed.bytes`,
/// not copies.
/// @throws Error bad_data if the bytes are not valid packed data
TrainingData unpack(const SharedBytes& packed);

}  // namespace troupe
