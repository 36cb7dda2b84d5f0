#pragma once

#include "models/data/shared/shared_memory.hpp"
#include "troupe/data.hpp"

namespace troupe {

/// Returns content from which other processes of this machine can recreate the data: a text that describes the layout,
/// followed by the arrays. Returns empty content if a set is not a Dataset, because only the arrays of a Dataset are in
/// memory.
SharedMemory::Content pack(const TrainingData& data);

/// Returns the data that `pack` packed. Its arrays are views of the packed bytes.
/// @throws Error bad_data if the bytes are not valid packed data
TrainingData unpack(const SharedBytes& packed);

}  // namespace troupe
